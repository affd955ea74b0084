//! Compiles the contracts with `protox`, so that no `protoc` is needed.

use std::{env, error::Error, fs, path::PathBuf};

use prost::Message as _;

const FILES: [&str; 6] = [
    "spatz/v1/cards.proto",
    "spatz/v1/error.proto",
    "spatz/v1/game.proto",
    "spatz/v1/log.proto",
    "spatz/v1/matchmaking.proto",
    "spatz/v1/ranking.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=spatz");
    let descriptors = protox::compile(FILES, ["."])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;
    tonic_prost_build::configure()
        // Ordered maps: the same event is stored as the same bytes.
        .btree_map(".")
        .codec_path("crate::codec::SmallBuffers")
        .compile_fds(descriptors)?;
    Ok(())
}
