//! The tools that the tests need in addition to Rust, and how to install them. A new tool is one row in the table.

use std::process::Command;

use anyhow::{Result, bail, ensure};

use crate::command::{capture, run, succeeds};
use crate::workspace::Workspace;
use crate::{agents, clients, codegen, e2e, mcp, models, npm, python, web};

/// A program that the tests call.
#[derive(Debug)]
struct Tool {
    name: &'static str,
    is_present: fn(&Workspace) -> bool,
    source: Source,
}

#[derive(Debug, Clone, Copy)]
enum Source {
    /// Debian packages, installed together with those of other missing tools.
    Apt(&'static [&'static str]),
    /// A component of the Rust toolchain. The toolchain belongs to the developer, so the command is only printed.
    Rustup(&'static str),
    /// Any other installation; runs after the Debian packages are installed.
    Own(fn(&Workspace) -> Result<()>),
}

/// Checked in this order; dependencies come first.
const TOOLS: &[Tool] = &[
    Tool { name: "rustfmt", is_present: has_rustfmt, source: Source::Rustup("rustfmt") },
    Tool { name: "clippy", is_present: has_clippy, source: Source::Rustup("clippy") },
    Tool { name: "curl", is_present: has_curl, source: Source::Apt(&["curl"]) },
    Tool {
        name: "python with venv",
        is_present: python::can_make_venv,
        source: Source::Apt(&["python3", "python3-venv"]),
    },
    Tool { name: "node with npm", is_present: npm::has_node, source: Source::Apt(&["nodejs", "npm"]) },
    Tool {
        name: "chromium",
        is_present: e2e::has_browser,
        // Without the fonts, screenshots show boxes instead of characters.
        source: Source::Apt(&["chromium", "fonts-noto-color-emoji"]),
    },
    Tool {
        name: "client libraries",
        is_present: |workspace| clients::LIBRARIES.is_installed(workspace),
        source: Source::Own(|workspace| clients::LIBRARIES.install(workspace)),
    },
    Tool {
        name: "clients of MCP",
        is_present: |workspace| mcp::CLIENTS.is_installed(workspace),
        source: Source::Own(|workspace| mcp::CLIENTS.install(workspace)),
    },
    Tool {
        name: "libraries of model providers",
        is_present: |workspace| models::LIBRARIES.is_installed(workspace),
        source: Source::Own(|workspace| models::LIBRARIES.install(workspace)),
    },
    Tool { name: "coding agents", is_present: agents::are_installed, source: Source::Own(agents::install) },
    Tool {
        name: "packages of the page",
        is_present: |workspace| web::WEB.is_installed(workspace),
        source: Source::Own(|workspace| web::WEB.install(workspace)),
    },
    Tool {
        name: "generator of API types",
        is_present: |workspace| codegen::GENERATOR.is_installed(workspace),
        source: Source::Own(|workspace| codegen::GENERATOR.install(workspace)),
    },
    Tool {
        name: "packages of the stories",
        is_present: |workspace| e2e::STORIES.is_installed(workspace),
        source: Source::Own(|workspace| e2e::STORIES.install(workspace)),
    },
    Tool { name: "python packages", is_present: python::has_packages, source: Source::Own(python::install_packages) },
];

/// Installs missing tools; fails with a message if the machine does not allow it.
pub(crate) fn install_missing(workspace: &Workspace) -> Result<()> {
    let missing: Vec<_> = TOOLS.iter().filter(|tool| !(tool.is_present)(workspace)).collect();
    if missing.is_empty() {
        println!("nothing to install");
        return Ok(());
    }
    println!("missing: {}", missing.iter().map(|tool| tool.name).collect::<Vec<_>>().join(", "));
    if let Some(advice) = rustup_advice(&missing) {
        bail!("{advice}");
    }
    install_debian_packages(&debian_packages(&missing))?;
    for tool in &missing {
        if let Source::Own(install) = tool.source {
            install(workspace)?;
        }
        ensure!((tool.is_present)(workspace), "{} was installed but does not work", tool.name);
    }
    Ok(())
}

/// Not every toolchain has this component.
fn has_rustfmt(workspace: &Workspace) -> bool {
    succeeds(&mut workspace.cargo(&["fmt", "--version"]))
}

/// Not every toolchain has this component.
fn has_clippy(workspace: &Workspace) -> bool {
    succeeds(&mut workspace.cargo(&["clippy", "--version"]))
}

/// The commands of the API guide use it.
fn has_curl(_: &Workspace) -> bool {
    succeeds(Command::new("curl").arg("--version"))
}

/// The command that adds all missing Rust components; `None` if none is missing.
fn rustup_advice(missing: &[&Tool]) -> Option<String> {
    let part = |tool: &&Tool| {
        if let Source::Rustup(part) = tool.source { Some(part) } else { None }
    };
    let parts: Vec<_> = missing.iter().filter_map(part).collect();
    (!parts.is_empty())
        .then(|| format!("install the missing Rust components with: rustup component add {}", parts.join(" ")))
}

/// The packages of all missing tools.
fn debian_packages(missing: &[&Tool]) -> Vec<&'static str> {
    let packages = |tool: &&Tool| {
        if let Source::Apt(packages) = tool.source { packages } else { &[] }
    };
    missing.iter().flat_map(packages).copied().collect()
}

/// Updates the package lists first, because new machines have none, but only if something has to be installed.
fn install_debian_packages(packages: &[&str]) -> Result<()> {
    if packages.is_empty() {
        return Ok(());
    }
    let is_root = capture(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if !is_root || !succeeds(Command::new("apt-get").arg("--version")) {
        bail!("install these packages, then try again: {}", packages.join(" "));
    }
    run(&mut apt_get(&["update", "--quiet"]))?;
    run(apt_get(&["install", "--quiet", "--yes", "--no-install-recommends"]).args(packages))
}

/// Non-interactive, for build machines.
fn apt_get(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive").args(arguments);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIPPY: Tool = Tool { name: "clippy", is_present: |_| false, source: Source::Rustup("clippy") };
    const PYTHON: Tool =
        Tool { name: "python", is_present: |_| false, source: Source::Apt(&["python3", "python3-venv"]) };
    const REDIS: Tool = Tool { name: "redis", is_present: |_| false, source: Source::Apt(&["redis-server"]) };
    const OWN: Tool = Tool { name: "own", is_present: |_| false, source: Source::Own(|_| Ok(())) };

    #[test]
    fn packages_of_all_missing_tools_are_fetched_at_once() {
        assert_eq!(debian_packages(&[&PYTHON, &OWN, &REDIS]), ["python3", "python3-venv", "redis-server"]);
    }

    #[test]
    fn the_package_manager_is_not_called_without_packages() -> Result<()> {
        assert!(debian_packages(&[&OWN, &CLIPPY]).is_empty());
        install_debian_packages(&[])
    }

    #[test]
    fn a_missing_rust_component_is_reported_with_its_install_command() {
        let advice = rustup_advice(&[&PYTHON, &CLIPPY]);
        assert_eq!(advice.as_deref(), Some("install the missing Rust components with: rustup component add clippy"));
    }

    #[test]
    fn a_complete_rust_toolchain_gives_no_message() {
        assert_eq!(rustup_advice(&[&PYTHON, &OWN]), None);
    }

    #[test]
    fn python_comes_before_its_packages() {
        let place = |name| TOOLS.iter().position(|tool| tool.name == name);
        assert!(place("python with venv") < place("python packages"));
    }

    #[test]
    fn node_comes_before_its_packages() {
        let place = |name| TOOLS.iter().position(|tool| tool.name == name);
        for packages in [
            "client libraries",
            "clients of MCP",
            "libraries of model providers",
            "coding agents",
            "packages of the page",
            "generator of API types",
            "packages of the stories",
        ] {
            assert!(place("node with npm") < place(packages), "{packages}");
        }
    }

    #[test]
    fn the_package_manager_is_non_interactive() {
        let command = apt_get(&["install"]);
        let is_silent = |(name, value): (&std::ffi::OsStr, Option<&std::ffi::OsStr>)| {
            name == "DEBIAN_FRONTEND" && value == Some("noninteractive".as_ref())
        };
        assert!(command.get_envs().any(is_silent));
    }
}
