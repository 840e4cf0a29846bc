//! Layers are one-way: this table lists the allowed dependencies, and the manifests must agree.

use super::Finding;
use super::manifest::dependencies;
use super::tree::Tree;

/// The allowed dependencies of one crate in `crates/`.
struct Layer {
    name: &'static str,
    /// Crates of this workspace it may use.
    may_use: &'static [&'static str],
    /// External crates that it must not use.
    must_not_use: &'static [&'static str],
}

/// Forbidden in pure crates: clock, randomness, network and disk.
const IMPURE: &[&str] = &[
    "async-trait",
    "axum",
    "getrandom",
    "hyper",
    "rand",
    "reqwest",
    "rusqlite",
    "tempfile",
    "tokio",
    "tower",
    "tracing",
];
/// Forbidden in use cases, which use ports instead.
const SURFACES_AND_STORES: &[&str] =
    &["async-nats", "axum", "getrandom", "hyper", "redis", "reqwest", "rusqlite", "utoipa"];
/// Drivers belong to the adapters.
const STORES: &[&str] = &["async-nats", "redis", "rusqlite"];

/// From the inside out; `ARCHITECTURE.md` explains the reasons.
const LAYERS: &[Layer] = &[
    Layer { name: "parlour-core", may_use: &[], must_not_use: IMPURE },
    Layer { name: "parlour-dialects", may_use: &["parlour-core"], must_not_use: IMPURE },
    Layer { name: "parlour-redact", may_use: &[], must_not_use: IMPURE },
    Layer { name: "parlour-context", may_use: &["parlour-core", "parlour-redact"], must_not_use: IMPURE },
    Layer {
        name: "parlour-hub",
        may_use: &["parlour-core", "parlour-redact", "parlour-context"],
        must_not_use: SURFACES_AND_STORES,
    },
    Layer { name: "parlour-testkit", may_use: &["parlour-core", "parlour-hub"], must_not_use: SURFACES_AND_STORES },
    Layer { name: "parlour-adapters", may_use: &["parlour-core", "parlour-hub"], must_not_use: &["axum", "utoipa"] },
    Layer {
        name: "parlour-server",
        may_use: &["parlour-core", "parlour-dialects", "parlour-hub"],
        must_not_use: STORES,
    },
    Layer { name: "parlour-agent", may_use: &["parlour-core", "parlour-dialects"], must_not_use: STORES },
    Layer { name: "parlour", may_use: ALL, must_not_use: &[] },
];

/// The binary wires everything together.
const ALL: &[&str] = &[
    "parlour-adapters",
    "parlour-agent",
    "parlour-context",
    "parlour-core",
    "parlour-dialects",
    "parlour-hub",
    "parlour-redact",
    "parlour-server",
];

/// Finds dependencies that point the wrong way, and crates without a row.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let manifests = tree.files().iter().filter_map(|file| Some((crate_name(&file.path)?, file)));
    manifests.flat_map(|(name, file)| findings(name, &file.path, &dependencies(&file.text))).collect()
}

/// The crate of a manifest: folders of `crates/` have the name of their crate.
fn crate_name(path: &str) -> Option<&str> {
    let name = path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
    (!name.contains('/')).then_some(name)
}

/// The forbidden dependencies of one crate.
fn findings(name: &str, path: &str, used: &[&str]) -> Vec<Finding> {
    let Some(layer) = LAYERS.iter().find(|layer| layer.name == name) else {
        return vec![Finding::in_file(
            path,
            "a new crate needs a decision record and a row in xtask/src/tidy/layering.rs",
        )];
    };
    let is_ours = |used: &str| used == "parlour" || used.starts_with("parlour-");
    let is_refused = |used: &&&str| {
        if is_ours(used) { !layer.may_use.contains(*used) } else { layer.must_not_use.contains(*used) }
    };
    used.iter().filter(is_refused).map(|used| Finding::in_file(path, format!("{name} must not use {used}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::findings_of;
    use super::*;

    /// Applies the rule to one crate with these dependencies.
    fn check_crate(name: &str, used: &[&str]) -> Vec<String> {
        let lines: String = used.iter().map(|used| format!("{used}.workspace = true\n")).collect();
        findings_of(check, &[(&format!("crates/{name}/Cargo.toml"), &format!("[dependencies]\n{lines}"))])
    }

    #[test]
    fn the_core_uses_no_crate_of_ours() {
        let expected = "crates/parlour-core/Cargo.toml: parlour-core must not use parlour-hub";
        assert_eq!(check_crate("parlour-core", &["serde", "parlour-hub"]), [expected]);
    }

    #[test]
    fn pure_crates_have_no_clock_disk_or_network() {
        for name in ["parlour-core", "parlour-redact", "parlour-dialects", "parlour-context"] {
            assert_eq!(check_crate(name, &["tokio", "rusqlite", "axum", "getrandom"]).len(), 4, "{name}");
        }
    }

    #[test]
    fn surfaces_use_no_adapter() {
        assert_eq!(check_crate("parlour-server", &["parlour-hub", "parlour-adapters", "rusqlite"]).len(), 2);
    }

    #[test]
    fn the_hub_uses_neither_surfaces_nor_stores() {
        assert_eq!(check_crate("parlour-hub", &["parlour-core", "axum", "rusqlite", "parlour-server"]).len(), 3);
    }

    #[test]
    fn the_agent_crate_does_not_use_the_hub() {
        assert_eq!(check_crate("parlour-agent", &["parlour-core", "parlour-dialects", "parlour-hub"]).len(), 1);
    }

    #[test]
    fn the_binary_may_use_everything() {
        assert!(check_crate("parlour", ALL).is_empty());
    }

    #[test]
    fn dev_dependencies_may_cross_layers() {
        let manifest = "[dev-dependencies]\nparlour-adapters.workspace = true\n";
        assert!(findings_of(check, &[("crates/parlour-server/Cargo.toml", manifest)]).is_empty());
    }

    #[test]
    fn a_crate_without_a_row_is_found() {
        assert_eq!(check_crate("parlour-extras", &[]).len(), 1);
    }

    #[test]
    fn manifests_outside_the_crates_folder_have_no_layer() {
        assert!(findings_of(check, &[("benches/Cargo.toml", "[dependencies]\naxum = \"1\"\n")]).is_empty());
    }

    #[test]
    fn every_row_names_only_rows() {
        let names: Vec<_> = LAYERS.iter().map(|layer| layer.name).collect();
        assert!(LAYERS.iter().flat_map(|layer| layer.may_use).all(|used| names.contains(used)));
    }
}
