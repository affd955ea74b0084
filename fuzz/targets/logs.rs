//! libFuzzer on [`fuzz::logs`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::logs(data));
