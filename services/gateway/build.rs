//! Lists the web client's files for `src/web.rs`, so that they are part of the program, in debug
//! builds too.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=web");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("web");
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut table = String::from("&[\n");
    for file in files {
        let name = file
            .strip_prefix(&root)?
            .to_str()
            .ok_or("a file name is not UTF-8")?;
        let path = file.to_str().ok_or("the folder's name is not UTF-8")?;
        writeln!(table, "    ({name:?}, include_bytes!({path:?})),")?;
    }
    table.push_str("]\n");
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join("web_files.rs"),
        table,
    )?;
    Ok(())
}

/// Every file below `folder`, without hidden ones.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
