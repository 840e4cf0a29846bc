//! Installing, looking and removing, with settings files as people have them.

use std::{collections::BTreeSet, fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use serde_json::Value;

use crate::fixture::{HookFixture, TOOLS, recorded, settings};

const OTHERS: &str = "{\n    // mine\n    \"model\": \"opus\",\n    \"hooks\": {\n        \"Stop\": [\n            { \"hooks\": [{ \"type\": \"command\", \"command\": \"beep\" }] } // loud\n        ],\n        \"PreToolUse\": []\n    },\n    \"unknown\": { \"b\": 1, \"a\": [2] }\n}\n";

#[test]
fn uninstall_restores_the_files() {
    let fixture = HookFixture::make();
    fixture.json("agent create Coder");
    for scope in ["user", "project"] {
        for tool in TOOLS {
            for before in [None, Some(""), Some("{}\n"), Some(OTHERS)] {
                if let Some(text) = before {
                    fixture.home.write(settings(tool, scope), text);
                }
                let all = home_without_hub(&fixture);
                let line = format!("{tool} --scope {scope} --yes");
                let run = fixture.run(&format!("hook install {line} --agent Coder"));
                assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
                let text = fixture.home.text(settings(tool, scope));
                assert!(text.contains(&format!("hook run {tool} --config")), "{text}");
                assert!(!text.contains("parlour_") && !text.contains("token"), "no token in {text}");
                let again = fixture.run(&format!("hook install {line} --agent Coder"));
                assert!(again.stdout.contains("is already installed"), "{}{}", again.stdout, again.stderr);
                assert_eq!(fixture.home.text(settings(tool, scope)), text, "a second time changes nothing");
                let run = fixture.run(&format!("hook uninstall {line}"));
                assert!(
                    run.code == Some(0) && run.stdout.contains("token was revoked"),
                    "{}{}",
                    run.stdout,
                    run.stderr
                );
                assert_eq!(home_without_hub(&fixture), all, "{tool} {scope} {before:?}");
                let _ = fs::remove_file(fixture.home.path(settings(tool, scope)));
            }
        }
    }
}

/// The home without the files of the hub, which live in the same folder.
fn home_without_hub(fixture: &HookFixture) -> Vec<(std::path::PathBuf, Option<Vec<u8>>)> {
    let (data, log) = (fixture.home.path("data"), fixture.home.path("hub.log"));
    let all = fixture.home.everything().into_iter();
    all.filter(|(path, _)| !path.starts_with(&data) && *path != log).collect()
}

#[test]
fn every_change_is_shown_and_needs_a_confirmation() {
    let fixture = HookFixture::make();
    fixture.json("agent create Coder");
    fixture.home.write(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    let before = home_without_hub(&fixture);
    let run = fixture.run("hook install claude-code --agent Coder");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    for part in [
        ".config/parlour/hooks/claude-code.toml (new)",
        "+ token = (not shown)",
        ".claude/settings.json (changed)",
        "-   \"model\": \"opus\"\n+   \"model\": \"opus\",\n+   \"hooks\": {",
        "Nothing was written",
    ] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    assert_eq!(home_without_hub(&fixture), before);
    let tokens = fixture.json("token list --member Coder");
    assert_eq!(tokens["items"].as_array().expect("a list").len(), 1, "no token was issued either");
}

/// The files that differ between two looks.
fn touched(before: &[(PathBuf, Option<Vec<u8>>)], after: &[(PathBuf, Option<Vec<u8>>)]) -> BTreeSet<PathBuf> {
    let of = |one: &[(PathBuf, Option<Vec<u8>>)], other: &[(PathBuf, Option<Vec<u8>>)]| {
        let changed =
            one.iter().filter(|(path, text)| text.is_some() && !other.contains(&(path.clone(), text.clone())));
        changed.map(|(path, _)| path.clone()).collect::<BTreeSet<_>>()
    };
    &of(before, after) | &of(after, before)
}

/// The files that a plan names.
fn shown(plan: &str) -> BTreeSet<PathBuf> {
    let named = |line: &str| {
        [" (new)", " (changed)", " (removed)"].iter().find_map(|end| line.strip_suffix(end).map(PathBuf::from))
    };
    plan.lines().filter(|line| line.starts_with('/')).filter_map(named).collect()
}

#[test]
fn the_written_and_removed_text_equals_the_shown_one() {
    let fixture = HookFixture::make();
    fixture.json("agent create Coder");
    for (what, flags) in [("install", "--agent Coder"), ("uninstall", "")] {
        for (tool, scope) in TOOLS.into_iter().flat_map(|tool| [(tool, "user"), (tool, "project")]) {
            let line = format!("hook {what} {tool} --scope {scope} {flags}");
            let plan = fixture.run(&line);
            assert_eq!(plan.code, Some(1), "{}", plan.stderr);
            let before = home_without_hub(&fixture);
            let run = fixture.run(&format!("{line} --yes"));
            assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
            assert_eq!(shown(&plan.stdout), touched(&before, &home_without_hub(&fixture)), "{line}: {}", plan.stdout);
            if (what, scope) == ("install", "user") {
                // What the hook remembers of a session goes away with the last one.
                fixture.call(tool, &recorded(tool)[0]);
            }
        }
    }
}

#[test]
fn the_plan_shows_the_record_of_the_installed_hook() {
    let fixture = HookFixture::make();
    fixture.json("agent create Coder");
    let plan = fixture.run("hook install gemini --agent Coder").stdout;
    fixture.install("gemini");
    let noted = fixture.home.text(".local/state/parlour/hooks/installed.json");
    // Only the token is not known before it is issued.
    for line in noted.lines().filter(|line| !line.contains("token_id")) {
        assert!(plan.contains(&format!("+ {line}\n")), "{line}: {plan}");
    }
}

#[test]
fn an_unusable_settings_file_is_not_changed_and_is_reported() {
    let fixture = HookFixture::make();
    let broken = "{\n  \"hooks\": {,}\n}";
    fixture.home.write(".claude/settings.json", broken);
    fixture.home.write(".gemini/settings.json", "{\"hooks\": []}");
    fixture.home.write(".cursor/hooks.json", "{}");
    let cursor = fixture.home.path(".cursor/hooks.json");
    fs::set_permissions(&cursor, fs::Permissions::from_mode(0o444)).expect("protected");
    fs::create_dir_all(fixture.home.path(".codex/hooks.json")).expect("a folder");
    let before = home_without_hub(&fixture);
    for (tool, told) in [
        ("claude-code", "settings.json: it is not valid JSON (line 2"),
        ("gemini", "\"hooks\" must be an object"),
        ("cursor", "is read-only"),
        ("codex", "is not a regular file"),
    ] {
        let run = fixture.run(&format!("hook install {tool} --agent Coder --yes"));
        assert!(run.code == Some(1) && run.stderr.contains(told), "{tool}: {}{}", run.stdout, run.stderr);
    }
    assert_eq!(home_without_hub(&fixture), before);
    assert!(!fixture.run("agent list").stdout.contains("Coder"), "nobody was added");
}

#[test]
fn a_link_to_the_settings_stays_a_link() {
    let fixture = HookFixture::make();
    fixture.home.write("dotfiles/claude.json", "{\n}\n");
    fs::create_dir_all(fixture.home.path(".claude")).expect("made");
    let link = fixture.home.path(".claude/settings.json");
    std::os::unix::fs::symlink(fixture.home.path("dotfiles/claude.json"), &link).expect("linked");
    fixture.install("claude-code");
    assert!(link.is_symlink() && fixture.home.text("dotfiles/claude.json").contains("hook run"));
    assert_eq!(fixture.run("hook uninstall claude-code --yes").code, Some(0));
    assert!(link.is_symlink());
    assert_eq!(fixture.home.text("dotfiles/claude.json"), "{\n}\n");
}

#[test]
fn status_names_changed_files() {
    let fixture = HookFixture::make();
    let drift = |fixture: &HookFixture| {
        let run = fixture.run("hook status --json");
        let all: Vec<Value> = serde_json::from_str(&run.stdout).expect("JSON");
        let one = all.into_iter().find(|one| one["tool"] == "claude-code" && one["scope"] == "user").expect("one");
        (run.code, one["drift"].to_string())
    };
    assert!(fixture.run("hook status").stdout.contains("No hook is installed"));
    fixture.install("claude-code");
    let profile = fixture.home.path(".config/parlour/hooks/claude-code.toml");
    assert_eq!(fs::metadata(&profile).expect("there").permissions().mode() & 0o777, 0o600);
    assert_eq!(drift(&fixture), (Some(0), "[]".to_owned()));
    assert!(fixture.run("hook status").stdout.contains("claude-code (user): agent Coder at http"));
    let good = fixture.home.text(".claude/settings.json");
    let program = env!("CARGO_BIN_EXE_parlour");
    let other = fixture.home.path("parlour").display().to_string();
    fs::copy("/bin/true", &other).expect("another program");
    for (text, told) in [
        (good.replace("\"Stop\"", "\"Stopp\""), "entries are missing: Stop".to_owned()),
        (good.replace(program, "/opt/parlour"), "calls /opt/parlour, which is not there".to_owned()),
        (good.replace(program, &other), format!("the entry calls another program: {other}")),
        (good.replace("answer:*", "answer:no"), "the permission to answer without an approval is missing".to_owned()),
        (good.replace("claude-code.toml", "other.toml"), "the entry was changed".to_owned()),
        (good.replacen('{', "{\n  \"disableAllHooks\": true,", 1), "hooks are disabled".to_owned()),
        ("{".to_owned(), "cannot read".to_owned()),
        ("{}".to_owned(), "entries are missing".to_owned()),
    ] {
        fixture.home.write(".claude/settings.json", &text);
        let (code, drift) = drift(&fixture);
        assert!(code == Some(1) && drift.contains(&told), "{told}: {drift}");
    }
    fixture.home.write(".claude/settings.json", &good);
    fs::set_permissions(&profile, fs::Permissions::from_mode(0o644)).expect("opened");
    assert!(drift(&fixture).1.contains("other users can read"));
    fs::set_permissions(&profile, fs::Permissions::from_mode(0o600)).expect("closed");
    let tokens = fixture.json("token list --member Coder");
    let token = tokens["items"][0]["id"].as_str().expect("an id").to_owned();
    assert!(fixture.run(&format!("token revoke {token}")).code == Some(0));
    assert!(drift(&fixture).1.contains("the token is no longer valid"));
    let repaired = fixture.run("hook install claude-code --agent Coder --yes");
    assert_eq!((repaired.code, drift(&fixture)), (Some(0), (Some(0), "[]".to_owned())), "{}", repaired.stderr);
    let HookFixture { hub, home } = fixture;
    let url = hub.url.clone();
    hub.kill();
    let run = crate::support::run(home.command().args(["hook", "status"]), "");
    assert!(run.code == Some(1) && run.stdout.contains("the hub is not reachable"), "{url}: {}", run.stdout);
}

#[test]
fn install_requires_an_agent_that_matches_the_token() {
    let fixture = HookFixture::make();
    let run = fixture.run("hook install codex --yes");
    assert!(run.code == Some(2) && run.stderr.contains("--agent Coder"), "{}", run.stderr);
    let created = fixture.json("agent create Coder");
    let token = created["token"].as_str().expect("a token").to_owned();
    let mut command = fixture.home.command();
    command.env("PARLOUR_URL", &fixture.hub.url).env("PARLOUR_TOKEN", &token);
    let run = crate::support::run(command.args(["hook", "install", "codex", "--agent", "Other", "--yes"]), "");
    assert!(run.code == Some(2) && run.stderr.contains("belongs to agent Coder"), "{}", run.stderr);
    let mut command = fixture.home.command();
    command.env("PARLOUR_URL", &fixture.hub.url).env("PARLOUR_TOKEN", &token);
    let run = crate::support::run(command.args(["hook", "install", "codex", "--yes"]), "");
    assert!(run.code == Some(0) && run.stdout.contains("/hooks"), "{}{}", run.stdout, run.stderr);
    assert!(!run.stdout.contains(&token), "the token is not shown");
    assert!(fixture.home.text(".config/parlour/hooks/codex.toml").contains(&token));
}

/// The permission of an installed hook: the text that contains it.
fn permission(fixture: &HookFixture, tool: &str) -> String {
    let file = match tool {
        "codex" => ".codex/rules/parlour.rules",
        "gemini" => ".gemini/policies/parlour-gemini.toml",
        _ => settings(tool, "user"),
    };
    fs::read_to_string(fixture.home.path(file)).unwrap_or_default()
}

#[test]
fn the_installation_permits_exactly_the_commands_of_injections() {
    let fixture = HookFixture::make();
    fixture.json("agent create Coder");
    for tool in ["claude-code", "codex", "gemini"] {
        let plan = fixture.run(&format!("hook install {tool} --agent Coder")).stdout;
        fixture.install(tool);
        let text = permission(&fixture, tool);
        let profile = fixture.home.path(&format!(".config/parlour/hooks/{tool}.toml")).display().to_string();
        let program = env!("CARGO_BIN_EXE_parlour");
        for command in [&["answer"][..], &["post"], &["inbox"], &["history"], &["run", "resume"]] {
            let words = [program, "hook", "as", "--config", &profile].into_iter().chain(command.iter().copied());
            let words: Vec<_> = words.collect();
            let rule = match tool {
                "codex" => {
                    format!("pattern = {}", serde_json::to_string(&words).expect("JSON").replace("\",\"", "\", \""))
                }
                "gemini" => format!("  \"{}\",", words.join(" ")),
                _ => format!("\"Bash({}:*)\"", words.join(" ")),
            };
            assert!(text.contains(&rule), "{tool}: {rule}: {text}");
            assert!(plan.contains(&rule), "{tool}: the plan shows it: {plan}");
        }
        let declined = fixture.run(&format!("hook install {tool} --agent Coder --no-permission --yes"));
        assert!(declined.stdout.contains("asks before each answer"), "{}{}", declined.stdout, declined.stderr);
        assert!(!permission(&fixture, tool).contains("answer"), "{tool}: {}", permission(&fixture, tool));
        assert!(fixture.run("hook status").stdout.contains("Each answer of the agent needs an approval"));
        assert_eq!(fixture.run(&format!("hook uninstall {tool} --yes")).code, Some(0));
    }
}

#[test]
fn a_rule_file_of_somebody_else_is_not_overwritten() {
    let fixture = HookFixture::make();
    fixture.home.write(".codex/rules/parlour.rules", "# mine\n");
    let before = home_without_hub(&fixture);
    let run = fixture.run("hook install codex --agent Coder --yes");
    assert!(run.code == Some(1) && run.stderr.contains("was not written by this command"), "{}", run.stderr);
    assert_eq!(home_without_hub(&fixture), before);
    assert_eq!(fixture.run("hook install codex --agent Coder --no-permission --yes").code, Some(0));
}

#[test]
fn in_the_home_folder_a_hook_is_listed_once() {
    let fixture = HookFixture::make();
    for tool in TOOLS {
        fixture.install(tool);
    }
    let at_home = |words: &[&str]| {
        let mut command = fixture.home.command();
        command.env("PARLOUR_URL", &fixture.hub.url).env("PARLOUR_TOKEN", &fixture.hub.token);
        crate::support::run(command.current_dir(fixture.home.folder.path()).args(words), "")
    };
    let status = at_home(&["hook", "status"]).stdout;
    assert_eq!(status.matches("agent Coder at").count(), TOOLS.len(), "{status}");
    assert!(!status.contains("(project)"), "{status}");
    for what in ["install", "uninstall"] {
        let run = at_home(&["hook", what, "gemini", "--scope", "project", "--yes"]);
        assert!(run.code == Some(2) && run.stderr.contains("--scope user"), "{}{}", run.stdout, run.stderr);
    }
}

#[test]
fn status_reports_that_codex_does_not_trust_the_hook() {
    let fixture = HookFixture::make();
    fixture.install("codex");
    let status = fixture.run("hook status");
    assert!(status.code == Some(1), "{}", status.stdout);
    assert!(
        status.stdout.contains("Codex does not trust SessionStart, UserPromptSubmit, PreToolUse"),
        "{}",
        status.stdout
    );
}
