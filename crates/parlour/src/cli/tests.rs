use std::ffi::OsString;

use super::*;

fn parsed(words: &[&str]) -> Result<Cli, clap::Error> {
    Cli::parse_words([&["parlour"], words].concat().into_iter().map(OsString::from).collect())
}

#[test]
fn the_command_line_is_consistent() {
    definition().debug_assert();
}

#[test]
fn the_default_command_is_serve() {
    for words in [&[][..], &["--data", "x"], &["--config", "x.toml"], &["--config=x.toml", "--data", "x"]] {
        assert!(matches!(parsed(words).expect("serve").command, Command::Serve(_)), "{words:?}");
    }
}

/// One command line for each client command, with its own flags.
const LINES: &[&str] = &[
    "post general hello",
    "history general",
    "search hello",
    "inbox",
    "inbox --importance high --mentions --blocking --in general --by-importance",
    "inbox counts",
    "inbox digest --agent Coder",
    "inbox read msg_1 msg_2",
    "inbox read --in general --up-to msg_1",
    "ask @Mara Ship? --option yes=Ship --option no --default no --expires 10m --wait",
    "questions --all",
    "answer msg_1 yes",
    "answer msg_1 --ignore",
    "answer msg_1 --value 7",
    "withdraw msg_1",
    "deliveries msg_1 --wait seen --for Coder --timeout 5m",
    "run list --open --agent Coder",
    "run show run_1",
    "run start --label Build --in general --lease 10m",
    "run checkpoint run_1",
    "run beat run_1",
    "run resume run_1 msg_1",
    "run finish run_1 --failed broken",
    "run cancel run_1 --reason enough",
    "run timeline run_1",
    "run injections run_1 --texts",
    "run injections run_1 --with run_2",
    "context --agent Coder --budget 512 --format openai-chat --model gpt-4o --in general --task tsk_1 --explain",
    "context --message msg_1 --query why --notice frozen --told msg_2 --run run_1",
    "task timeline tsk_1",
    "tail",
    "tail --since start --channel general",
    "post general --stream",
    "project create Apollo",
    "project list",
    "project show",
    "project invite Mara",
    "channel create general",
    "channel list",
    "channel archive general",
    "channel unarchive general",
    "channel members general",
    "channel subscribers general",
    "channel subscribe general Coder",
    "channel unsubscribe general Coder",
    "agent create Coder",
    "agent list",
    "agent token Coder",
    "agent calls Coder",
    "agent engine Coder --provider built-in",
    "agent engines",
    "guard show general",
    "guard reset general",
    "person create Mara",
    "person list",
    "person token Mara",
    "person link Mara",
    "person password Mara",
    "token create --role read-only --expires 30d",
    "token list --member Coder",
    "token revoke tok_1",
    "token renew",
    "invite --role read-only --uses 3 --expires 2d",
    "invite list",
    "invite revoke inv_1",
    "key rotate",
    "audit list --actor Mara --action messaging.posted --result refused",
    "audit export --after 7",
    "audit verify",
    "import pynchy messages.db --channel general --dry-run --lenient --repair-encoding",
    "import caco folder --events events",
    "export tkr messages.jsonl --channel general --channel deck --force",
    "hook install claude-code --scope project --agent Coder --yes",
    "hook uninstall cursor --yes",
    "login",
    "logout",
    "whoami",
    "profile list",
    "profile use work",
    "project use Apollo",
];

const CONNECTION: &str = "--json --url http://127.0.0.1:1 --project=Tour --profile work --config x.toml --ca x.pem";

#[test]
fn every_client_command_accepts_json_and_the_client_settings_anywhere() {
    for line in LINES {
        let words: Vec<_> = line.split(' ').collect();
        let options: Vec<_> = CONNECTION.split(' ').collect();
        let last = format!("{line} {CONNECTION}");
        let expected = parsed(&last.split(' ').collect::<Vec<_>>()).unwrap_or_else(|error| panic!("{last}: {error}"));
        // The names of the command and its subcommands come first; the options may be before or between them.
        let names =
            words.iter().take(2).take_while(|word| word.chars().all(|letter| letter.is_ascii_lowercase())).count();
        for place in 0..names {
            let words = [&words[..place], &options, &words[place..]].concat();
            let found = parsed(&words).unwrap_or_else(|error| panic!("{words:?}: {error}"));
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{words:?}");
        }
    }
}

#[test]
fn help_and_version_need_no_command() {
    for (words, kind) in [
        (&["--help"][..], clap::error::ErrorKind::DisplayHelp),
        (&["--json", "-h"], clap::error::ErrorKind::DisplayHelp),
        (&["--version"], clap::error::ErrorKind::DisplayVersion),
        (&["help"], clap::error::ErrorKind::DisplayHelp),
        (&["help", "post"], clap::error::ErrorKind::DisplayHelp),
    ] {
        assert_eq!(parsed(words).expect_err("help").kind(), kind, "{words:?}");
    }
}

#[test]
fn json_errors_are_wanted_by_the_flag_and_not_by_a_text() {
    let is_wanted = |line: &str| has_json_flag(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
    assert!(is_wanted("parlour --json post general x") && is_wanted("parlour post general x --json"));
    assert!(!is_wanted("parlour post general -- --json") && !is_wanted("parlour history general"));
}

#[test]
fn a_parse_error_is_one_line_with_the_reason() {
    let failure = parse_failure(&parsed(&["post", "general", "x", "--importance", "huge"]).expect_err("refused"));
    let text = failure.to_string();
    assert!(text.starts_with("parlour: invalid value 'huge' for '--importance <IMPORTANCE>'"), "{text}");
    assert!(text.contains("--help") && failure.exit == 2 && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn the_help_lists_every_visible_command_once_in_a_group() {
    let definition = definition();
    let visible: Vec<_> =
        definition.get_subcommands().filter(|one| !one.is_hide_set()).map(clap::Command::get_name).collect();
    let grouped: Vec<_> = help::GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let sorted = |mut names: Vec<&'static str>| {
        names.sort_unstable();
        names
    };
    let visible: Vec<&'static str> =
        visible.iter().map(|name| *grouped.iter().find(|one| *one == name).unwrap_or(&"")).collect();
    assert_eq!(sorted(visible), sorted(grouped));
}

#[test]
fn the_help_fits_a_terminal() {
    let text = definition().render_help().to_string();
    let wide: Vec<_> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    for heading in ["Run a hub", "Talk", "Agents", "Access", "Data"] {
        assert!(text.lines().any(|line| line.trim_end_matches(':') == heading), "{text}");
    }
}

#[test]
fn completion_scripts_of_all_shells_name_every_visible_subcommand() {
    let cli = definition();
    let visible: Vec<_> = cli.get_subcommands().filter(|one| !one.is_hide_set()).map(|one| one.get_name()).collect();
    assert!(visible.contains(&"post") && visible.contains(&"completions"), "{visible:?}");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let Command::Completions(command) = parsed(&["completions", shell]).expect(shell).command else {
            panic!("{shell}: another command was parsed");
        };
        let script = command.run(&mut definition()).expect(shell).text;
        let missing: Vec<_> = visible.iter().filter(|name| !script.contains(**name)).collect();
        assert!(missing.is_empty(), "{shell}: {missing:?}");
        assert!(script.contains("confirm-wide"), "{shell}: a flag of post is missing");
    }
    assert_eq!(parsed(&["completions", "cmd"]).expect_err("no such shell").exit_code(), 2);
}

#[test]
fn every_command_has_a_help_with_an_example() {
    fn check(command: &clap::Command) {
        let help = command.clone().render_long_help().to_string();
        assert!(command.is_hide_set() || help.contains("Example"), "{}", command.get_name());
        command.get_subcommands().filter(|command| !command.is_hide_set()).for_each(check);
    }
    check(&definition());
}

#[test]
fn help_texts_contain_no_manual_line_breaks() {
    /// Longer lines are wrapped by the terminal, so each of them must be a whole paragraph.
    const LINE_CHARS_MAX: usize = 80;
    const EXAMPLE_CHARS_MAX: usize = 100;
    fn check(command: &clap::Command) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let lines: Vec<_> = help.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let (chars, next) = (line.chars().count(), lines.get(at + 1).copied().unwrap_or_default());
            let is_cut = chars > LINE_CHARS_MAX && !next.is_empty() && !next.starts_with(' ');
            let is_whole = if line.starts_with(' ') { chars <= EXAMPLE_CHARS_MAX } else { !is_cut };
            assert!(is_whole, "{}: {line}", command.get_name());
        }
        command.get_subcommands().for_each(check);
    }
    check(&definition());
}

#[test]
fn contradicting_history_options_are_a_usage_error() {
    assert!(parsed(&["history", "general", "--before", "7"]).is_ok());
    for words in [&["--before", "7", "--since", "3"][..], &["--all", "--limit", "3"], &["--limit", "many"]] {
        assert!(parsed(&[&["history", "general"], words].concat()).is_err(), "{words:?}");
    }
}

#[test]
fn an_answer_has_exactly_one_form() {
    for words in ["msg_1", "msg_1 yes --ignore", "msg_1 yes --value 7", "msg_1 --value 7 --ignore", "yes"] {
        let words: Vec<_> = ["answer"].into_iter().chain(words.split(' ')).collect();
        assert_eq!(parsed(&words).expect_err("wrong").exit_code(), 2, "{words:?}");
    }
}

#[test]
fn invalid_names_and_ids_are_refused_before_sending() {
    for words in [
        &["project", "create", "a/b"][..],
        &["post", "general", "x", "--id", "chn_1"],
        &["tail", "--since", "yesterday"],
        &["answer", "msg_1", "--value", "{"],
        &["ask", "general", "x", "--option", "="],
        &["run", "show", "msg_1"],
        &["run", "injections", "run_1", "--with", "msg_1"],
        &["context", "--agent", "Coder", "--format", "xml"],
        &["context", "--agent", "Coder", "--budget", "many"],
    ] {
        assert_eq!(parsed(words).expect_err("no name").exit_code(), 2, "{words:?}");
    }
}

#[test]
fn invalid_arguments_are_a_usage_error() {
    for words in
        [&["pots"][..], &["post"], &["post", "general", "x", "--importance", "huge"], &["history", "a", "--id"]]
    {
        assert_eq!(parsed(words).expect_err("wrong").exit_code(), 2, "{words:?}");
    }
}
