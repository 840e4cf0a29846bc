//! The repository contains no absolute path of a developer's machine.

use super::Finding;
use super::tree::{TextFile, Tree};

/// Parent folders of home folders on common systems.
const HOMES: &[&str] = &["/home/", "/Users/", "C:\\Users\\"];

/// Finds lines with the path of the checkout or of a home folder.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files().iter().flat_map(|file| findings(file, tree.places())).collect()
}

/// At most one finding per line.
fn findings(file: &TextFile, places: &[String]) -> Vec<Finding> {
    let finding =
        |line, path: &str| Finding::at_line(&file.path, line, format!("`{path}` is an absolute path of one machine"));
    let found = file.numbered_lines().filter_map(|(number, line)| Some(finding(number, machine_path(line, places)?)));
    found.collect()
}

/// The first machine path in the line.
fn machine_path<'a>(line: &'a str, places: &[String]) -> Option<&'a str> {
    let place = places.iter().find_map(|place| find_path(line, place, |rest| rest.is_empty() || !continues_name(rest)));
    place.or_else(|| HOMES.iter().find_map(|home| find_path(line, home, continues_name)))
}

/// The first offset at which `start` begins a path and `accepts` is true for the rest.
fn find_path<'a>(line: &'a str, start: &str, accepts: impl Fn(&str) -> bool) -> Option<&'a str> {
    let begins_path = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "./}_-*>~".contains(c));
    let mut hits = line.match_indices(start);
    let (at, found) = hits.find(|(at, found)| begins_path(*at) && accepts(&line[at + found.len()..]))?;
    Some(&line[at..at + found.len()])
}

/// Whether the name continues.
fn continues_name(rest: &str) -> bool {
    rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::super::tests::findings_of;
    use super::*;

    fn findings_in(line: &str) -> Vec<String> {
        findings_of(check, &[("a.md", line)])
    }

    #[test]
    fn the_folder_of_the_checkout_is_found() {
        assert_eq!(findings_in("cd /srv/checkout"), ["a.md:1: `/srv/checkout` is an absolute path of one machine"]);
        assert_eq!(findings_in("run `/srv/checkout/.ci/run`").len(), 1);
    }

    #[test]
    fn any_home_folder_is_found() {
        for home in HOMES {
            assert_eq!(findings_in(&format!("\"{home}ada\"")).len(), 1, "{home}");
        }
    }

    #[test]
    fn a_longer_name_is_another_folder() {
        assert!(findings_in("/srv/checkouts and /srv/checkout-2").is_empty());
    }

    #[test]
    fn routes_and_relative_paths_are_fine() {
        for line in ["GET /projects/srv/checkout", "./srv/checkout", "https://host/home/ada", "{id}/home/x"] {
            assert!(findings_in(line).is_empty(), "{line}");
        }
    }

    #[test]
    fn the_parent_of_all_homes_is_fine() {
        assert!(findings_in("paths below /home/ belong to people").is_empty());
    }

    #[test]
    fn each_line_is_found_by_its_number() {
        assert!(findings_in("one\ntwo /srv/checkout\n")[0].starts_with("a.md:2:"));
    }
}
