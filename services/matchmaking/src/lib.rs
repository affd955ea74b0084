//! matchmaking
