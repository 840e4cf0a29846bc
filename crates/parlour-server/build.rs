//! Builds the pages of `web/` and writes the table of files that the server embeds.
//!
//! The server builds without npm too: one warning, placeholder pages, and the next build tries again.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use sha2::{Digest as _, Sha256};

#[path = "src/assets/table.rs"]
mod table;

const WEB: &str = "../../web";
/// All that the pages are made of. The folder itself is not watched: `node_modules` would build them anew.
const SOURCES: [&str; 9] = [
    ".npmrc",
    "build.mjs",
    "diagram",
    "index.html",
    "package-lock.json",
    "package.json",
    "public",
    "src",
    "vite.config.js",
];
const LOCK: &str = "package-lock.json";
const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };
const PLACEHOLDER: &[u8] = include_bytes!("src/assets/placeholder.html");
const WHAT_TO_INSTALL: &str = "Install Node.js 20 or newer with npm; the first build also needs its registry.";
/// The pages the server always has a route for.
const PAGES: [&str; 4] = ["d/diagram.html", "docs.html", "index.html", "sign-in.html"];

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    let dist = out.join("dist");
    watch_sources();
    if let Err(reason) = build_pages(&out, &dist) {
        println!("cargo::warning=The pages are placeholders: {reason}. {WHAT_TO_INSTALL}");
        // A file that never exists makes cargo run this again.
        println!("cargo::rerun-if-changed={}", out.join("pages-missing").display());
        write_placeholders(&dist)?;
    }
    fs::write(out.join("files.rs"), table::render(&read_build_files(&dist)?))?;
    Ok(())
}

fn watch_sources() {
    for source in SOURCES {
        println!("cargo::rerun-if-changed={WEB}/{source}");
    }
}

/// Works on a copy, so that a build leaves no trace among the sources.
fn build_pages(out: &Path, dist: &Path) -> Result<(), Box<dyn Error>> {
    let web = out.join("web");
    copy_sources(&web)?;
    install_packages(&web, &out.join("installed-lock.json"))?;
    run_npm(&web, &["run", "build", "--"], Some(dist))
}

fn copy_sources(web: &Path) -> io::Result<()> {
    // What was deleted among the sources must not stay in the copy.
    for folder in ["diagram", "public", "src"] {
        remove_folder(&web.join(folder))?;
    }
    fs::create_dir_all(web)?;
    SOURCES.iter().try_for_each(|source| copy_tree(&Path::new(WEB).join(source), &web.join(source)))
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy_tree(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Installs only when the lock is another one than that of the last complete installation.
fn install_packages(web: &Path, installed_lock: &Path) -> Result<(), Box<dyn Error>> {
    let lock = fs::read(web.join(LOCK))?;
    if fs::read(installed_lock).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    // Forget the old one first: an installation that stops half-way must not count.
    let _ = fs::remove_file(installed_lock);
    run_npm(web, &["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"], None)?;
    Ok(fs::write(installed_lock, lock)?)
}

fn run_npm(web: &Path, arguments: &[&str], target: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let output = Command::new(NPM)
        .args(arguments)
        .args(target)
        .current_dir(web)
        .output()
        .map_err(|cause| format!("npm does not start ({cause})"))?;
    if output.status.success() {
        return Ok(());
    }
    let error_text = String::from_utf8_lossy(&output.stderr);
    let is_cause = |line: &&str| line.starts_with("npm error") || line.contains("Error: ");
    let cause = error_text.lines().find(is_cause).unwrap_or("it gave no reason");
    Err(format!("`npm {}` failed ({})", arguments[0], cause.trim()).into())
}

fn write_placeholders(dist: &Path) -> io::Result<()> {
    remove_folder(dist)?;
    fs::create_dir_all(dist.join("d"))?;
    PAGES.iter().try_for_each(|page| fs::write(dist.join(page), PLACEHOLDER))
}

fn remove_folder(folder: &Path) -> io::Result<()> {
    if folder.exists() { fs::remove_dir_all(folder) } else { Ok(()) }
}

fn read_build_files(dist: &Path) -> io::Result<Vec<table::BuildFile>> {
    let mut names = Vec::new();
    list_files(dist, "", &mut names)?;
    names.sort();
    let plain = names.iter().filter(|name| !name.ends_with(table::BROTLI_SUFFIX));
    plain.map(|name| read_build_file(dist, name, &names)).collect()
}

fn list_files(folder: &Path, prefix: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            list_files(&entry.path(), &format!("{name}/"), names)?;
        } else {
            names.push(name);
        }
    }
    Ok(())
}

fn read_build_file(dist: &Path, path: &str, names: &[String]) -> io::Result<table::BuildFile> {
    let digest = Sha256::digest(fs::read(dist.join(path))?);
    Ok(table::BuildFile {
        path: path.to_owned(),
        hash: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        has_brotli: names.contains(&format!("{path}{}", table::BROTLI_SUFFIX)),
    })
}
