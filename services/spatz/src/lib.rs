//! spatz
