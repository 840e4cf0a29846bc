//! Runs one page from top to bottom, as a reader with an empty home folder would.

use std::{
    env, fs,
    net::TcpListener,
    path::Path,
    process,
    sync::atomic::{AtomicU16, Ordering},
};

use tempfile::TempDir;

use super::{
    commands::{self, ConnectedAgent, Step},
    markdown::{Block, Item, Page},
    output::{self, Bindings},
    routes::{self, Request},
    shell::{Running, Shell},
    stand_ins,
};

/// The port and the home folder that pages show.
const SHOWN_PORT: &str = ":4870";
const SHOWN_HOME: &str = "/srv/mara";
/// A name of the hub that no machine resolves, with the port.
const SHOWN_NAME: &str = "chat.example:4870";
/// The administrator's token of a hub that the test starts.
const TOKEN: &str = "a-token-for-the-documents";
/// What a program that runs until it is stopped prints when it is ready: the hub's programs, and a stream of events.
const READY: &[&str] = &["stop with ctrl+c", "event: live"];
/// Ports below those that systems give out by themselves, so that no other test takes one in between.
const PORTS: std::ops::Range<u16> = 20_000..30_000;

/// Programs that pages use beside `parlour` and the stand-ins.
const TOOLS: &[&str] = &["curl", "gzip", "jq", "make", "openssl", "python3"];

/// Runs the page and fails with a report of everything that is not as the page says.
pub(crate) fn check(page: &Page) {
    let mut reader = Reader::new(page);
    for item in &page.items {
        reader.follow(item);
    }
    reader.call_agents();
    let faults = std::mem::take(&mut reader.faults);
    assert!(faults.is_empty(), "{}: {} faults\n\n{}", page.path, faults.len(), faults.join("\n"));
}

/// A reader with a terminal, and what the page has started for them so far.
struct Reader<'a> {
    page: &'a Page,
    shell: Shell,
    port: u16,
    home: String,
    bindings: Bindings,
    hub: Option<Running>,
    /// Programs that run until they are stopped, with the agent that they connect.
    running: Vec<(Option<ConnectedAgent>, Running)>,
    faults: Vec<String>,
    /// Removed last.
    _folder: TempDir,
}

impl<'a> Reader<'a> {
    fn new(page: &'a Page) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (home, port) = (folder.path().join("home"), free_port());
        let work = home.join("parlour");
        fs::create_dir_all(&work).expect("a folder");
        let bin = folder.path().join("bin");
        stand_ins::install(&bin);
        let program = Path::new(env!("CARGO_BIN_EXE_parlour")).parent().expect("a folder").to_owned();
        let system = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([bin, program].into_iter().chain(env::split_paths(&system))).expect("a path");
        let home = home.display().to_string();
        let environment = [
            ("PATH", path.to_string_lossy().into_owned()),
            ("HOME", home.clone()),
            ("ROOT", super::ROOT.to_owned()),
            ("TZ", "UTC".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("PARLOUR_LISTEN", format!("127.0.0.1:{port}")),
        ];
        let shell = Shell::start(&work, &folder.path().join("steps"), &environment);
        let (bindings, running, faults) = (Bindings::default(), Vec::new(), Vec::new());
        let mut reader = Self { page, shell, port, home, bindings, hub: None, running, faults, _folder: folder };
        if !page.items.iter().any(|item| matches!(item, Item::NoHub)) {
            reader.start_hub();
        }
        let missing = reader.shell.run(&format!("type {}", TOOLS.join(" ")));
        assert!(missing.status == Some(0), "the documents need these programs: {TOOLS:?}\n{}", missing.printed);
        reader
    }

    /// A hub with its sample project, and its address and token in the environment.
    fn start_hub(&mut self) {
        let mut hub = self.shell.start_beside(&format!("PARLOUR_ADMIN_TOKEN={TOKEN} parlour serve"));
        assert!(hub.read_until(is_ready), "the hub does not start: {}", hub.printed());
        self.hub = Some(hub);
        self.shell.run(&format!("export PARLOUR_URL=http://127.0.0.1:{} PARLOUR_TOKEN={TOKEN}", self.port));
    }

    fn stop_hub(&mut self) {
        if let Some(hub) = self.hub.take() {
            hub.stop();
        }
    }

    fn follow(&mut self, item: &Item) {
        match item {
            Item::NoHub => {}
            Item::Hidden { line, script } => self.run_hidden(*line, script),
            Item::Binding { line, name, value } => {
                let expression = self.outgoing(*line, value);
                let value = self.shell.value_of(&expression);
                if value.status != Some(0) || value.printed.is_empty() {
                    self.fault(*line, &expression, "    has no value:\n", &value.printed);
                }
                self.bindings.bind(name, &value.printed);
            }
            Item::Block(block) if block.not_run.is_some() => {}
            Item::Block(block) => self.follow_block(block),
        }
    }

    fn follow_block(&mut self, block: &Block) {
        if let Some(path) = &block.file {
            let text = self.outgoing(block.line, &block.text());
            let script = format!("mkdir -p \"$(dirname {path})\"; cat > {path} <<'END_OF_BLOCK'\n{text}END_OF_BLOCK");
            self.run_hidden(block.line, &script);
        }
        match block.language.as_str() {
            "console" | "sh" => {
                let typed = block.typed.as_ref().map(|text| self.outgoing(block.line, text));
                self.shell.type_into_commands(typed.as_deref());
                self.run_steps(block);
                self.shell.type_into_commands(None);
            }
            "http" => self.send_requests(block),
            _ => {}
        }
    }

    fn run_steps(&mut self, block: &Block) {
        let steps = commands::steps(block);
        for (index, step) in steps.iter().enumerate() {
            let is_last = index + 1 == steps.len();
            let meanwhile = block.meanwhile.as_deref().filter(|_| is_last);
            if step.starts_hub() {
                // It would not get the port.
                self.stop_hub();
            }
            if step.is_long_running() {
                self.start(step, meanwhile);
            } else if let Some(meanwhile) = meanwhile {
                self.run_beside(step, meanwhile);
            } else {
                self.run(step);
            }
        }
    }

    /// A command that ends by itself.
    fn run(&mut self, step: &Step) {
        let command = self.outgoing(step.line, &step.command);
        let ended = self.shell.run(&command);
        self.judge(step, ended.status, &ended.printed);
    }

    /// A command that waits for another terminal.
    fn run_beside(&mut self, step: &Step, meanwhile: &str) {
        let command = self.outgoing(step.line, &step.command);
        let mut running = self.shell.start_beside(&command);
        running.read_until(|printed| printed.contains('\n'));
        self.bind_first_lines(step, &running);
        self.run_hidden(step.line, meanwhile);
        let status = running.read_to_end().then_some(0);
        self.judge(step, status, &running.printed());
    }

    /// A command that runs until the end of the page.
    fn start(&mut self, step: &Step, meanwhile: Option<&str>) {
        if let Some(agent) = step.agent() {
            self.replace_agent(&agent.name);
        }
        let command = self.outgoing(step.line, &step.command);
        let mut running = self.shell.start_beside(&command);
        let is_started = running.read_until(is_ready);
        if let Some(meanwhile) = meanwhile {
            self.bind_first_lines(step, &running);
            self.run_hidden(step.line, meanwhile);
        }
        if is_started && let Some(documented) = &step.documented {
            let (port, home) = (self.port, self.home.clone());
            let mut values = Bindings::default();
            running.read_until(|printed| output::matches(documented, &shown(printed, port, &home), &mut values));
        }
        self.judge(step, is_started.then_some(0), &running.printed());
        self.shell.remember(&running.printed());
        if step.starts_hub() {
            self.hub = Some(running);
        } else {
            self.running.push((step.agent(), running));
        }
    }

    /// Each agent that the page has connected answers a direct message, so its command works as documented.
    fn call_agents(&mut self) {
        for (agent, running) in std::mem::take(&mut self.running) {
            self.call(agent.as_ref());
            drop(running);
        }
    }

    /// A page may show several ways to connect an agent; the reader has one of them.
    fn replace_agent(&mut self, name: &str) {
        let is_same = |agent: &Option<ConnectedAgent>| agent.as_ref().is_some_and(|agent| agent.name == name);
        while let Some(place) = self.running.iter().position(|(agent, _)| is_same(agent)) {
            let (agent, running) = self.running.remove(place);
            self.call(agent.as_ref());
            running.stop();
        }
    }

    fn call(&mut self, agent: Option<&ConnectedAgent>) {
        if let Some(ConnectedAgent { line, name, .. }) = agent.filter(|agent| agent.is_callable) {
            self.run_hidden(*line, &format!("parlour post @{name} 'Hello' --wait"));
        }
    }

    fn send_requests(&mut self, block: &Block) {
        for request in routes::requests(block) {
            self.send(&request);
        }
        self.bindings.forget("{id}");
    }

    /// Sends a request; the id of the first thing that a block creates is `{id}` in its later requests.
    fn send(&mut self, request: &Request) {
        let Request { line, method, path, body } = request;
        let (path, body) = (self.outgoing(*line, path), self.outgoing(*line, body));
        let file = format!("{}/request.json", self.home);
        fs::write(&file, &body).expect("a file");
        let headers = "-H \"Authorization: Bearer $PARLOUR_TOKEN\" -H 'Content-Type: application/json'";
        let data = if body.is_empty() { String::new() } else { format!("--data-binary @{file}") };
        let ended =
            self.shell.run(&format!("curl -sS --fail-with-body -X {method} \"$PARLOUR_URL{path}\" {headers} {data}"));
        if ended.status != Some(0) {
            self.fault(*line, &format!("{method} {path} {body}"), "    is refused:\n", &ended.printed);
        }
        let response = serde_json::from_str::<serde_json::Value>(&ended.printed).unwrap_or_default();
        if let Some(id) = response["id"].as_str().filter(|_| !self.bindings.has("{id}")) {
            self.bindings.bind("{id}", id);
        }
    }

    fn run_hidden(&mut self, line: usize, script: &str) {
        let lines = script.lines().map(str::to_owned).collect();
        self.run_steps(&Block {
            language: "sh".to_owned(),
            line,
            lines,
            not_run: None,
            file: None,
            meanwhile: None,
            typed: None,
        });
    }

    fn bind_first_lines(&mut self, step: &Step, running: &Running) {
        let printed = shown(&running.printed(), self.port, &self.home);
        output::bind_first_lines(step.documented.as_deref().unwrap_or_default(), &printed, &mut self.bindings);
    }

    fn judge(&mut self, step: &Step, status: Option<i32>, printed: &str) {
        let printed = shown(printed, self.port, &self.home);
        let documented = step.documented.as_deref();
        // A page shows that a command fails by the error of the program.
        let may_fail = documented.is_some_and(|text| text.lines().any(|line| line.starts_with("parlour: ")));
        if status.is_none() || (status != Some(0)) != may_fail {
            let reason = status
                .map_or("    hangs, or has ended the shell\n".to_owned(), |code| format!("    exit status {code}\n"));
            return self.fault(step.line, &step.command, &reason, &printed);
        }
        if let Some(documented) = documented.filter(|text| !output::matches(text, &printed, &mut self.bindings)) {
            let difference = output::difference(documented, &printed);
            self.fault(step.line, &step.command, "    printed another text (- documented, + printed):\n", &difference);
        }
    }

    fn fault(&mut self, line: usize, command: &str, reason: &str, text: &str) {
        self.faults.push(format!("{}:{line}: $ {command}\n{reason}{text}", self.page.path));
    }

    /// What the reader types: values for placeholders, and the real port.
    fn outgoing(&mut self, line: usize, text: &str) -> String {
        let real = format!(":{}", self.port);
        let text = self.bindings.apply(text).replace(SHOWN_NAME, &format!("localhost{real}"));
        let text = text.replace("0.0.0.0:4870", &format!("127.0.0.1{real}")).replace(SHOWN_PORT, &real);
        let text = text.replace(SHOWN_HOME, &self.home);
        let without_remarks = text.lines().filter_map(|line| line.split(" #").next()).collect::<String>();
        if without_remarks.contains('…') {
            let hint = "    no earlier output shows the value of `…`; show it, or add <!-- let NAME = VALUE -->\n";
            self.fault(line, &text, hint, "");
        }
        text
    }
}

/// What the reader sees, with the port and the home folder of the pages.
fn shown(printed: &str, port: u16, home: &str) -> String {
    let real = format!(":{port}");
    let text = printed.replace(&format!("localhost{real}"), SHOWN_NAME).replace(&real, SHOWN_PORT);
    // Headers of HTTP end their lines as terminals want it.
    text.replace(home, SHOWN_HOME).replace('\r', "")
}

fn is_ready(printed: &str) -> bool {
    READY.iter().any(|words| printed.to_lowercase().contains(words))
}

/// A port that nobody uses; tests of one process and of several start their search at different places.
fn free_port() -> u16 {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    let count = PORTS.end - PORTS.start;
    let start = u16::try_from(process::id() % u32::from(count)).unwrap_or_default();
    let next = || PORTS.start + (start + TAKEN.fetch_add(1, Ordering::Relaxed)) % count;
    (0..count).map(|_| next()).find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).expect("a free port")
}
