//! The parts of a page that the tests run or check, in the order of the page.

/// Languages whose blocks are run.
const RUN: &[&str] = &["console", "sh", "http"];
/// Languages whose blocks are parsed, and may be written to a file of the reader.
const PARSED: &[&str] = &["json", "toml"];
/// A block without commands: a drawing, a format, an excerpt.
const TEXT: &str = "text";
/// Starts of lines that are commands.
const COMMANDS: &[&str] = &["$ ", "parlour ", "curl ", "cargo ", "export "];
/// A reason is at least a few words.
const REASON_CHARS_MIN: usize = 10;

pub(crate) struct Page {
    /// Below the root of the repository.
    pub(crate) path: String,
    pub(crate) items: Vec<Item>,
    /// The text outside of blocks and comments, by line number.
    pub(crate) prose: Vec<(usize, String)>,
    faults: Vec<String>,
}

pub(crate) enum Item {
    Block(Block),
    /// `<!-- run: … -->`: commands that the reader does not see.
    Hidden {
        line: usize,
        script: String,
    },
    /// `<!-- let NAME = VALUE -->`: the value of a placeholder in later blocks.
    Binding {
        line: usize,
        name: String,
        value: String,
    },
    /// `<!-- no hub -->`: the page starts the hub itself.
    NoHub,
}

pub(crate) struct Block {
    pub(crate) language: String,
    /// The line of its first content.
    pub(crate) line: usize,
    pub(crate) lines: Vec<String>,
    /// `<!-- not run: REASON -->`.
    pub(crate) not_run: Option<String>,
    /// `<!-- file: PATH -->`: the block is the content of this file.
    pub(crate) file: Option<String>,
    /// `<!-- meanwhile: … -->`: commands of another terminal, while the last command of the block runs.
    pub(crate) meanwhile: Option<String>,
    /// `<!-- typed: … -->`: what the reader types into the commands of the block.
    pub(crate) typed: Option<String>,
}

impl Page {
    pub(crate) fn parse(path: &str, text: &str) -> Self {
        let mut page = Self { path: path.to_owned(), items: Vec::new(), prose: Vec::new(), faults: Vec::new() };
        let mut pending = Pending::default();
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        while let Some((number, line)) = lines.next() {
            let trimmed = line.trim_start();
            if let Some(info) = trimmed.strip_prefix("```") {
                let indent = line.len() - trimmed.len();
                let content = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim_start() != "```");
                let content = content.map(|line| line.get(indent..).unwrap_or_default().to_owned()).collect();
                page.items.push(Item::Block(std::mem::take(&mut pending).block(info, number + 1, content)));
            } else if let Some(start) = trimmed.strip_prefix("<!--") {
                let mut comment = start.to_owned();
                while !comment.contains("-->") {
                    let Some((_, line)) = lines.next() else { break };
                    comment = comment + "\n" + line;
                }
                let comment = comment.split("-->").next().unwrap_or_default().trim().to_owned();
                page.comment(&mut pending, number, &comment);
            } else if !line.trim().is_empty() {
                page.prose.push((number, line.to_owned()));
                page.refuse_pending(&mut pending, number);
            }
        }
        page
    }

    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.items.iter().filter_map(|item| if let Item::Block(block) = item { Some(block) } else { None })
    }

    /// Whether a test of the page does anything.
    pub(crate) fn is_runnable(&self) -> bool {
        self.blocks().any(|block| block.not_run.is_none() && (block.is_run() || block.file.is_some()))
    }

    /// Blocks that nobody would ever run or check.
    pub(crate) fn problems(&self) -> Vec<String> {
        let of_blocks =
            self.blocks().filter_map(|block| Some(format!("{}:{}: {}", self.path, block.line, block.problem()?)));
        self.faults.iter().cloned().chain(of_blocks).collect()
    }

    fn comment(&mut self, pending: &mut Pending, line: usize, comment: &str) {
        let (word, rest) = comment.split_once(':').map_or((comment, ""), |(word, rest)| (word, rest.trim()));
        let rest = rest.to_owned();
        match word {
            "run" => self.items.push(Item::Hidden { line, script: rest }),
            "not run" => pending.not_run = Some(rest),
            "file" => pending.file = Some(rest),
            "meanwhile" => pending.meanwhile = Some(rest),
            "typed" => pending.typed = Some(rest),
            "no hub" => self.items.push(Item::NoHub),
            _ if comment.starts_with("let ") => self.binding(line, comment),
            // Any other comment is one for authors.
            _ => {}
        }
    }

    fn binding(&mut self, line: usize, comment: &str) {
        let Some((name, value)) = comment.trim_start_matches("let ").split_once(" = ") else {
            return self.faults.push(format!("{}:{line}: write <!-- let NAME = VALUE -->", self.path));
        };
        self.items.push(Item::Binding { line, name: name.trim().to_owned(), value: value.trim().to_owned() });
    }

    /// A comment that belongs to a block stands directly above it.
    fn refuse_pending(&mut self, pending: &mut Pending, line: usize) {
        if *pending != Pending::default() {
            self.faults.push(format!("{}:{line}: text between a comment for a block and its block", self.path));
            *pending = Pending::default();
        }
    }
}

impl Block {
    pub(crate) fn is_run(&self) -> bool {
        RUN.contains(&self.language.as_str())
    }

    pub(crate) fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn problem(&self) -> Option<String> {
        if let Some(reason) = &self.not_run {
            return (reason.chars().count() < REASON_CHARS_MIN).then(|| "`not run` needs a reason".to_owned());
        }
        match self.language.as_str() {
            "console" if !self.lines.first().is_some_and(|line| line.starts_with("$ ")) => Some(
                "a console block starts with `$ ` and a command; for other text use the language `text`".to_owned(),
            ),
            "json" => {
                serde_json::from_str::<serde_json::Value>(&self.text()).err().map(|error| format!("not JSON: {error}"))
            }
            "toml" => toml::from_str::<toml::Table>(&self.text()).err().map(|error| format!("not TOML: {error}")),
            TEXT => {
                self.lines.iter().find(|line| is_command(line)).map(|line| {
                    format!("{line:?} is a command in a text block, which nobody runs; use `console` or `sh`")
                })
            }
            language if RUN.contains(&language) || PARSED.contains(&language) => None,
            language => Some(format!(
                "language {language:?} is unknown; use console, sh, http, json, toml or text, or say why with <!-- not run: REASON -->"
            )),
        }
    }
}

fn is_command(line: &str) -> bool {
    COMMANDS.iter().any(|start| line.starts_with(start))
}

/// What comments say about the next block.
#[derive(Default, PartialEq, Eq)]
struct Pending {
    not_run: Option<String>,
    file: Option<String>,
    meanwhile: Option<String>,
    typed: Option<String>,
}

impl Pending {
    fn block(self, info: &str, line: usize, lines: Vec<String>) -> Block {
        let Self { not_run, file, meanwhile, typed } = self;
        Block { language: info.trim().to_owned(), line, lines, not_run, file, meanwhile, typed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems_of(text: &str) -> Vec<String> {
        Page::parse("docs/x.md", text).problems()
    }

    #[test]
    fn a_block_keeps_its_line_and_its_comments() {
        let page = Page::parse("p", "a\n\n<!-- file: x.toml -->\n<!-- meanwhile:\none\ntwo -->\n```toml\na = 1\n```\n");
        let block = page.blocks().next().expect("a block");
        assert_eq!((block.line, block.text()), (8, "a = 1\n".to_owned()));
        assert_eq!((block.file.as_deref(), block.meanwhile.as_deref()), (Some("x.toml"), Some("one\ntwo")));
    }

    #[test]
    fn unknown_and_missing_languages_are_refused() {
        assert!(problems_of("```yaml\na: 1\n```\n")[0].starts_with("docs/x.md:2: language \"yaml\" is unknown"));
        assert!(problems_of("```\nparlour serve\n```\n")[0].contains("language \"\" is unknown"));
    }

    #[test]
    fn a_console_block_needs_a_command() {
        assert!(problems_of("```console\nparlour serve\n```\n")[0].contains("starts with `$ `"));
    }

    #[test]
    fn commands_do_not_hide_in_text() {
        assert!(problems_of("```text\n$ parlour tail\n```\n")[0].contains("is a command in a text block"));
    }

    #[test]
    fn an_excuse_needs_a_reason() {
        assert_eq!(problems_of("<!-- not run: no -->\n```ini\na\n```\n"), ["docs/x.md:3: `not run` needs a reason"]);
        assert!(problems_of("<!-- not run: needs systemd -->\n```ini\na\n```\n").is_empty());
    }

    #[test]
    fn an_excuse_stands_above_its_block() {
        let text = "<!-- not run: needs systemd -->\nSome text.\n```text\na\n```\n";
        assert_eq!(problems_of(text), ["docs/x.md:2: text between a comment for a block and its block"]);
    }

    #[test]
    fn json_and_toml_blocks_are_parsed() {
        assert!(problems_of("```json\n{…}\n```\n")[0].contains("not JSON"));
        assert!(problems_of("```toml\n[a]\n[a]\n```\n")[0].contains("not TOML"));
    }
}
