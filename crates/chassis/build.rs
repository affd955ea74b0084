//! Tells cargo that the embedded migrations are an input.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
