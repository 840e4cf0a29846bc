//! Whether Codex trusts the entries of the hook.
//!
//! Codex runs an entry only after its user has trusted it. It stores the hash of each trusted entry in `config.toml`, below
//! `hooks.state`, by the place of the entry: file, event, group and number.

use std::path::Path;

use parlour_agent::hooks::settings::HookEntry;
use serde_json::json;
use sha2::{Digest, Sha256};

/// The problem with the trust in these entries; `None` if Codex runs all of them.
pub(super) fn problem(config: &str, file: &Path, entries: &[HookEntry]) -> Option<String> {
    let config: toml::Table = config.parse().unwrap_or_default();
    let state = config.get("hooks").and_then(|hooks| hooks.get("state"));
    let (mut untrusted, mut changed, mut disabled) = (Vec::new(), Vec::new(), Vec::new());
    for entry in entries {
        let known = state.and_then(|state| state.get(key(file, entry)));
        let trusted = known.and_then(|known| known.get("trusted_hash")).and_then(toml::Value::as_str);
        match trusted {
            None => untrusted.push(entry.event.as_str()),
            Some(hash) if hash != hash_of(entry) => changed.push(entry.event.as_str()),
            Some(_) => {}
        }
        if known.and_then(|known| known.get("enabled")).and_then(toml::Value::as_bool) == Some(false) {
            disabled.push(entry.event.as_str());
        }
    }
    let parts = [("does not trust", untrusted), ("trusts an older form of", changed), ("has disabled", disabled)];
    let parts = parts.into_iter().filter(|(_, events)| !events.is_empty());
    let parts: Vec<_> = parts.map(|(how, events)| format!("{how} {}", events.join(", "))).collect();
    (!parts.is_empty()).then(|| format!("Codex {}; open /hooks in Codex", parts.join(", and ")))
}

fn key(file: &Path, entry: &HookEntry) -> String {
    let (group, number) = entry.place;
    format!("{}:{}:{group}:{number}", file.display(), snake_case(&entry.event))
}

/// The hash of an entry as the installation writes it: of its JSON with sorted keys.
fn hash_of(entry: &HookEntry) -> String {
    let timeout = entry.timeout.unwrap_or_default();
    let hook = json!({ "async": false, "command": entry.command, "timeout": timeout, "type": "command" });
    let identity = json!({ "event_name": snake_case(&entry.event), "hooks": [hook] });
    let hash: String = Sha256::digest(identity.to_string()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hash}")
}

fn snake_case(event: &str) -> String {
    let mut text = String::new();
    for character in event.chars() {
        if character.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(character.to_ascii_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded with Codex 0.169.0: the state after its user has trusted both entries.
    const CONFIG: &str = r#"
[hooks.state]

[hooks.state."/srv/mara/.codex/hooks.json:pre_tool_use:0:0"]
trusted_hash = "sha256:b90615a54597e2a88cddd34246234e269917123301c3f514300c30d6cda0634f"

[hooks.state."/srv/mara/.codex/hooks.json:stop:0:0"]
trusted_hash = "sha256:e3dbfd3fd917442caac75432e41418a0b5b954bc9c0116c6e34e8a61328853b4"
"#;

    fn entry(event: &str, command: &str) -> HookEntry {
        HookEntry { event: event.into(), command: command.into(), timeout: Some(10), place: (0, 0) }
    }

    fn problem_of(config: &str, entries: &[HookEntry]) -> Option<String> {
        problem(config, Path::new("/srv/mara/.codex/hooks.json"), entries)
    }

    #[test]
    fn trusted_entries_have_no_problem() {
        assert_eq!(problem_of(CONFIG, &[entry("PreToolUse", "/bin/echo hi"), entry("Stop", "/bin/echo bye")]), None);
    }

    #[test]
    fn untrusted_changed_and_disabled_entries_are_named() {
        let entries =
            [entry("PreToolUse", "/bin/echo other"), entry("PostToolUse", "x"), entry("Stop", "/bin/echo bye")];
        let told = problem_of(&format!("{CONFIG}enabled = false\n"), &entries).expect("a problem");
        assert_eq!(
            told,
            "Codex does not trust PostToolUse, and trusts an older form of PreToolUse, and has disabled Stop; open /hooks \
             in Codex"
        );
        for config in ["", "not toml [", "hooks = 7"] {
            assert!(problem_of(config, &entries[..1]).is_some_and(|told| told.contains("does not trust PreToolUse")));
        }
    }
}
