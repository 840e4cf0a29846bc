//! The little that the rules need to know from a `Cargo.toml`.

/// The crates a program is built with: neither those of its tests nor those of its build script.
pub(super) fn dependencies(manifest: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut is_listing = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            is_listing = is_dependency_list(section);
            names.extend(dependency_in_section(section));
        } else if is_listing && !line.is_empty() && !line.starts_with('#') {
            names.extend(line.split(['.', '=', ' ']).next());
        }
    }
    names
}

/// Also for one platform only: `target.'cfg(unix)'.dependencies`.
fn is_dependency_list(section: &str) -> bool {
    section == "dependencies" || (section.starts_with("target.") && section.ends_with(".dependencies"))
}

/// The long way to write one: `[dependencies.serde]`.
fn dependency_in_section(section: &str) -> Option<&str> {
    section.strip_prefix("dependencies.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(manifest: &str, expected: &[&str]) {
        assert_eq!(dependencies(manifest), expected);
    }

    #[test]
    fn every_form_of_a_dependency_is_parsed() {
        check(
            "[dependencies]\na.workspace = true\nb = \"1\"\nc = { version = \"1\" }\nd=\"2\"\n",
            &["a", "b", "c", "d"],
        );
    }

    #[test]
    fn crates_of_tests_and_build_scripts_do_not_count() {
        check("[dev-dependencies]\na = \"1\"\n[build-dependencies]\nb = \"1\"\n[dependencies]\nc = \"1\"\n", &["c"]);
    }

    #[test]
    fn a_section_ends_at_the_next_one() {
        check("[dependencies]\na = \"1\"\n\n[features]\nschema = []\n", &["a"]);
    }

    #[test]
    fn a_crate_with_a_section_of_its_own_counts() {
        check("[dependencies.serde]\nversion = \"1\"\n", &["serde"]);
    }

    #[test]
    fn a_crate_for_one_platform_counts() {
        check("[target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n", &["libc"]);
    }

    #[test]
    fn comments_name_no_crates() {
        check("[dependencies]\n# later = \"1\"\na = \"1\" # now\n", &["a"]);
    }
}
