//! The permission with which a model answers without an approval by its user, in the format of each tool.
//!
//! It covers exactly the commands of the texts that the hook injects ([`REPLY_COMMANDS`]), for one program and one
//! profile. Every other command, also of this program, still needs an approval.

use serde_json::json;

use super::{own_call::REPLY_COMMANDS, tool::Tool};

/// The rank of the rule among other rules of the same Gemini user, of 0 to 999.
const GEMINI_PRIORITY: u32 = 500;

/// A permission for the commands of one hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Strings in `permissions.allow` of the settings file.
    Settings(Vec<String>),
    /// The text of a file of its own.
    RuleFile(String),
    /// The tool reads no such rule from a file.
    None,
}

impl Permission {
    /// The permission for a program and a profile. `prefix` is the shell prefix of the commands.
    pub fn of(tool: Tool, program: &str, profile: &str, prefix: &str) -> Self {
        match tool {
            Tool::ClaudeCode => Self::Settings(commands(prefix).map(|command| format!("Bash({command}:*)")).collect()),
            Tool::Codex => Self::RuleFile(codex_rules(program, profile)),
            Tool::Gemini => Self::RuleFile(gemini_policy(prefix)),
            Tool::Cursor => Self::None,
        }
    }

    /// The strings in the settings file.
    pub fn in_settings(&self) -> &[String] {
        match self {
            Self::Settings(rules) => rules,
            Self::RuleFile(_) | Self::None => &[],
        }
    }
}

fn commands(prefix: &str) -> impl Iterator<Item = String> {
    REPLY_COMMANDS.iter().map(move |command| format!("{prefix} {}", command.join(" ")))
}

/// Execution rules of Codex, in Starlark. A JSON string is a valid string there.
fn codex_rules(program: &str, profile: &str) -> String {
    let rule = |command: &&[&str]| {
        let words = [program, "hook", "as", "--config", profile].into_iter().chain(command.iter().copied());
        let pattern: Vec<_> = words.map(|word| json!(word).to_string()).collect();
        format!("prefix_rule(pattern = [{}], decision = \"allow\")\n", pattern.join(", "))
    };
    format!("{}{}", head("codex"), REPLY_COMMANDS.iter().map(rule).collect::<String>())
}

/// A policy of Gemini CLI. A JSON string is a valid TOML string.
fn gemini_policy(prefix: &str) -> String {
    let prefixes: String = commands(prefix).map(|command| format!("  {},\n", json!(command))).collect();
    format!(
        "{}[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\n{prefixes}]\ndecision = \"allow\"\n\
         priority = {GEMINI_PRIORITY}\n",
        head("gemini")
    )
}

fn head(tool: &str) -> String {
    format!("# Written by `parlour hook install {tool}`: the agent reads and answers messages without an approval.\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFIX: &str = "'/opt/my tools/parlour' hook as --config /h/x.toml";

    fn of(tool: Tool) -> Permission {
        Permission::of(tool, "/opt/my tools/parlour", "/h/x.toml", PREFIX)
    }

    #[test]
    fn claude_code_gets_one_rule_for_each_command() {
        let Permission::Settings(rules) = of(Tool::ClaudeCode) else { unreachable!("rules in the settings") };
        assert_eq!(rules[0], "Bash('/opt/my tools/parlour' hook as --config /h/x.toml answer:*)");
        assert_eq!(rules[4], "Bash('/opt/my tools/parlour' hook as --config /h/x.toml run resume:*)");
        assert_eq!(rules.len(), REPLY_COMMANDS.len());
    }

    #[test]
    fn codex_and_gemini_get_a_file_with_all_commands() {
        let Permission::RuleFile(rules) = of(Tool::Codex) else { unreachable!("a file") };
        let answer = r#"prefix_rule(pattern = ["/opt/my tools/parlour", "hook", "as", "--config", "/h/x.toml", "answer"], decision = "allow")"#;
        assert!(rules.lines().any(|line| line == answer), "{rules}");
        assert_eq!(rules.matches("prefix_rule(").count(), REPLY_COMMANDS.len());
        let Permission::RuleFile(policy) = of(Tool::Gemini) else { unreachable!("a file") };
        assert!(policy.contains(r#""'/opt/my tools/parlour' hook as --config /h/x.toml answer","#), "{policy}");
        assert_eq!(of(Tool::Cursor), Permission::None);
    }
}
