//! The gateway from the outside: HTTP in, with small stand-ins for the services behind it.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod accounts;
mod auth;
mod blocks;
mod creation;
mod errors;
mod fakes;
mod me;
mod messages;
mod openapi;
mod reading;
mod rules_pages;
mod serving;
mod streams;
mod support;
mod tables;
mod updates;
mod web;
mod ws;
mod ws_client;
