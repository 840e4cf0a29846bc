//! The use cases in the source, to check that the table contains all of them.

use std::{fs, path::Path};

/// The names of all public use cases that take a caller, sorted.
pub(crate) fn use_cases() -> Vec<String> {
    let mut names = in_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    names.sort_unstable();
    names.dedup();
    names
}

fn in_folder(folder: &Path) -> Vec<String> {
    let paths = fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => in_folder(&path),
            false => in_file(&fs::read_to_string(path).expect("source")),
        })
        .collect()
}

fn in_file(source: &str) -> Vec<String> {
    let delegated = source.lines().filter_map(|line| line.trim_start().split_once("(caller: &Principal"));
    let delegated = delegated.filter(|(name, _)| !name.contains(' ')).map(|(name, _)| name.to_owned());
    source.split("pub async fn ").skip(1).filter_map(name_with_caller).chain(delegated).collect()
}

/// The name of the function that starts here, if it takes a caller.
fn name_with_caller(function: &str) -> Option<String> {
    let (head, rest) = function.split_once('(')?;
    let (parameters, _) = rest.split_once(')')?;
    let name = head.split('<').next().unwrap_or(head);
    parameters.contains("&Principal").then(|| name.to_owned())
}

#[test]
fn functions_are_found_however_they_are_written() {
    let source = "pub async fn one(&self, caller: &Principal) {}
        pub async fn two<'a>(
            &self,
            who: &Principal,
        ) {}
        pub async fn three(&self) {}
        async fn four(&self, caller: &Principal) {}
        five(caller: &Principal, id: &Id) -> Thing;";
    assert_eq!(in_file(source), ["one", "two", "five"]);
}
