//! Recognises the commands with which a model answers: `parlour hook as --config PROFILE answer …`.
//!
//! They are the only tools of a paused run, and the only commands that an installation permits without approval.

/// The commands that texts for a model contain, each after the prefix of the hook.
pub const REPLY_COMMANDS: [&[&str]; 5] = [&["answer"], &["post"], &["inbox"], &["history"], &["run", "resume"]];

/// Whether a shell would run this line as one of [`REPLY_COMMANDS`] with this prefix and nothing else.
///
/// A line with anything that a shell interprets (several commands, pipes, redirections, substitutions, variables,
/// globs, comments) is not one, so that no other program can run with it.
pub fn is_reply_command(line: &str, prefix: &str) -> bool {
    let (Some(words), Some(prefix)) = (simple_words(line), simple_words(prefix)) else { return false };
    let Some(rest) = words.strip_prefix(prefix.as_slice()).filter(|_| !prefix.is_empty()) else { return false };
    REPLY_COMMANDS.iter().any(|command| rest.len() >= command.len() && rest.iter().zip(*command).all(|(a, b)| a == b))
}

/// The words of a simple command without expansions; `None` if a shell would do anything else with the line.
pub fn simple_words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut characters = line.trim().chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '\'' => break,
                        inside => word.push(inside),
                    }
                }
            }
            '"' => word.get_or_insert_default().push_str(&double_quoted(&mut characters)?),
            '\\' => word.get_or_insert_default().push(characters.next().filter(|next| *next != '\n')?),
            special if is_special(special) => return None,
            '#' if word.is_none() => return None,
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    Some(words)
}

/// The text up to the closing quote; `None` with a substitution, or without a closing quote.
fn double_quoted(characters: &mut std::str::Chars<'_>) -> Option<String> {
    let mut text = String::new();
    loop {
        match characters.next()? {
            '"' => return Some(text),
            // `!` is a history expansion of interactive shells.
            '$' | '`' | '!' => return None,
            '\\' => match characters.next()? {
                escaped @ ('"' | '\\' | '$' | '`') => text.push(escaped),
                '\n' => return None,
                other => text.extend(['\\', other]),
            },
            inside => text.push(inside),
        }
    }
}

/// Characters that a shell interprets outside of quotes.
fn is_special(character: char) -> bool {
    matches!(
        character,
        '\n' | '\r'
            | ';'
            | '&'
            | '|'
            | '<'
            | '>'
            | '('
            | ')'
            | '$'
            | '`'
            | '*'
            | '?'
            | '['
            | ']'
            | '{'
            | '}'
            | '~'
            | '!'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PREFIX: &str = "'/opt/my tools/parlour' hook as --config /h/x.toml";

    fn is_reply(rest: &str) -> bool {
        is_reply_command(&format!("{PREFIX} {rest}"), PREFIX)
    }

    #[test]
    fn the_commands_of_an_injection_are_recognised() {
        for rest in [
            "answer msg_1 'your answer'",
            "answer msg_1 'It'\\''s Postgres; the $HOME one'",
            "answer msg_1 \"two\nlines, \\\"quoted\\\"\"",
            "post \"general\" 'your text' --reply-to msg_1",
            "inbox --blocking",
            "history \"general\" --since 3 --limit 50",
            "run resume run_1",
        ] {
            assert!(is_reply(rest), "{rest}");
        }
        assert!(is_reply_command("  \"/opt/my tools/parlour\" hook  as --config '/h/x.toml' inbox ", PREFIX));
    }

    #[test]
    fn everything_else_is_refused() {
        for rest in [
            "answer msg_1 yes; rm -rf /",
            "answer msg_1 yes && rm x",
            "answer msg_1 yes | sh",
            "answer msg_1 \"$(cat /etc/passwd)\"",
            "answer msg_1 `id`",
            "answer msg_1 $TOKEN",
            "answer msg_1 yes > /etc/passwd",
            "answer msg_1 yes\nrm x",
            "answer msg_1 'unclosed",
            "answer msg_1 yes # note",
            "answer msg_1 yes &",
            "post general *",
            "agent --exec 'rm -rf /'",
            "hook uninstall codex",
            "run cancel run_1",
            "run",
            "",
        ] {
            assert!(!is_reply(rest), "{rest}");
        }
        assert!(!is_reply_command("parlour hook as --config /h/x.toml answer m a", PREFIX), "another program");
        assert!(!is_reply_command("PATH=/evil parlour answer m a", ""));
        assert!(!is_reply_command("X=1 parlour hook as answer", "parlour hook as"));
    }

    proptest! {
        #[test]
        fn a_quoted_answer_is_always_one_word(answer in "(?s).*") {
            let quoted = format!("'{}'", answer.replace('\'', r"'\''"));
            let line = format!("answer msg_1 {quoted}");
            prop_assert!(is_reply(&line));
            prop_assert_eq!(simple_words(&quoted), Some(vec![answer]));
        }

        #[test]
        fn no_line_panics(line in "(?s).*") {
            let _ = is_reply_command(&line, PREFIX);
        }
    }
}
