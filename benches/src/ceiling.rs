//! The ceiling: the smallest server that could do the work of the hub, as a reference for benchmarks.
//!
//! It stores texts durably and returns them in pages, with the same web framework and database as the hub, but without
//! tokens, members, mentions, inbox, events and search. Separately, and without the store, it broadcasts texts to all
//! listeners (`broadcast.rs`). The difference between hub and ceiling is the cost of these features. It is not meant for
//! use outside of `parlour-bench`.

use std::{
    io::Write as _,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

mod broadcast;

use anyhow::{Context, Result};
use axum::{
    Json, Router,
    extract::{Query, State},
    http::StatusCode,
    routing::{get, post},
    serve::ListenerExt,
};
use clap::{Parser, ValueEnum};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use tokio::{net::TcpListener, sync::oneshot, task::spawn_blocking};

/// Posts in the queue of the writer; further ones are refused.
const QUEUE_LEN_MAX: usize = 4_096;
/// Posts that share one sync, as in the hub.
const GROUP_LEN_MAX: usize = 512;
/// Messages on the largest page.
const PAGE_ITEMS_MAX: i64 = 200;

const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS message (
    seq        INTEGER PRIMARY KEY,
    created_ms INTEGER NOT NULL,
    body       TEXT NOT NULL
) STRICT";

/// A reference for `parlour-bench`: stores texts and returns them in pages.
#[derive(Parser)]
struct Settings {
    /// Address to listen on; port 0 selects a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// The folder of the database.
    #[arg(long)]
    data: PathBuf,
    /// When the database syncs.
    #[arg(long, value_enum, default_value_t = Sync::Full)]
    sync: Sync,
}

#[derive(Clone, Copy, ValueEnum)]
enum Sync {
    /// At every commit, as the hub does.
    Full,
    /// Only at checkpoints: faster, but a power cut loses posts.
    Normal,
}

#[derive(Deserialize)]
struct NewMessage {
    body: String,
}

#[derive(Serialize)]
struct Stored {
    seq: i64,
}

#[derive(Serialize)]
struct Message {
    seq: i64,
    created_ms: i64,
    body: String,
}

#[derive(Serialize)]
struct Page {
    items: Vec<Message>,
}

#[derive(Deserialize)]
struct Range {
    before: Option<i64>,
    limit: Option<i64>,
}

/// A text in the queue of the writer, and the channel for its number.
struct Job {
    body: String,
    stored: oneshot::Sender<i64>,
}

struct Store {
    writer: mpsc::SyncSender<Job>,
    /// Idle connections.
    readers: Mutex<Vec<Connection>>,
    path: PathBuf,
}

#[tokio::main]
async fn main() -> Result<()> {
    let settings = Settings::parse();
    let store = Arc::new(Store::open(&settings.data, settings.sync)?);
    let routes = Router::new()
        .route("/messages", post(post_message))
        .route("/messages", get(history))
        .with_state(store)
        .merge(broadcast::routes());
    let listener = TcpListener::bind(settings.listen).await.context("listen")?;
    writeln!(std::io::stdout(), "Listening on http://{}", listener.local_addr()?)?;
    // A frame must not wait for the acknowledgement of the one before it; the hub does the same.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    axum::serve(listener, routes).await.context("serve")
}

async fn post_message(
    State(store): State<Arc<Store>>,
    Json(new): Json<NewMessage>,
) -> Result<(StatusCode, Json<Stored>), StatusCode> {
    let (stored, answer) = oneshot::channel();
    let job = Job { body: new.body, stored };
    store.writer.try_send(job).map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    let seq = answer.await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok((StatusCode::CREATED, Json(Stored { seq })))
}

async fn history(State(store): State<Arc<Store>>, Query(range): Query<Range>) -> Result<Json<Page>, StatusCode> {
    let page = spawn_blocking(move || store.page(&range)).await;
    page.ok().and_then(Result::ok).map(Json).ok_or(StatusCode::INTERNAL_SERVER_ERROR)
}

impl Store {
    fn open(folder: &Path, sync: Sync) -> Result<Self> {
        std::fs::create_dir_all(folder).context("make the data folder")?;
        let path = folder.join("ceiling.db");
        let db = open_writer(&path, sync).context("open the database")?;
        let (writer, jobs) = mpsc::sync_channel(QUEUE_LEN_MAX);
        thread::spawn(move || write_groups(&db, &jobs));
        Ok(Self { writer, readers: Mutex::default(), path })
    }

    fn page(&self, range: &Range) -> rusqlite::Result<Page> {
        let idle = self.readers.lock().expect("no reader panics with the lock").pop();
        let db = idle.map_or_else(|| Connection::open(&self.path), Ok)?;
        let page = read_page(&db, range);
        self.readers.lock().expect("no reader panics with the lock").push(db);
        page
    }
}

fn open_writer(path: &Path, sync: Sync) -> rusqlite::Result<Connection> {
    let db = Connection::open(path)?;
    db.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    let level = match sync {
        Sync::Full => "FULL",
        Sync::Normal => "NORMAL",
    };
    db.pragma_update(None, "synchronous", level)?;
    db.execute(SCHEMA, [])?;
    Ok(db)
}

/// Writes all queued texts in one transaction and answers after its commit. The senders of a failed group get no answer,
/// which they report as an error.
fn write_groups(db: &Connection, jobs: &mpsc::Receiver<Job>) {
    while let Ok(first) = jobs.recv() {
        let mut group = vec![first];
        group.extend(jobs.try_iter().take(GROUP_LEN_MAX - 1));
        if let Ok(numbers) = write_group(db, &group) {
            for (job, seq) in group.into_iter().zip(numbers) {
                // The caller may have disconnected.
                let _ = job.stored.send(seq);
            }
        }
    }
}

fn write_group(db: &Connection, group: &[Job]) -> rusqlite::Result<Vec<i64>> {
    let transaction = db.unchecked_transaction()?;
    let mut insert = db.prepare_cached("INSERT INTO message (created_ms, body) VALUES (?1, ?2)")?;
    let now_ms = now_ms();
    let numbers = group.iter().map(|job| insert.insert(params![now_ms, job.body])).collect::<Result<_, _>>()?;
    drop(insert);
    transaction.commit()?;
    Ok(numbers)
}

fn read_page(db: &Connection, range: &Range) -> rusqlite::Result<Page> {
    let mut select = db.prepare_cached(
        "SELECT seq, created_ms, body
         FROM message
         WHERE seq < ?1
         ORDER BY seq DESC
         LIMIT ?2",
    )?;
    let limit = range.limit.unwrap_or(50).clamp(1, PAGE_ITEMS_MAX);
    let rows = select.query_map([range.before.unwrap_or(i64::MAX), limit], |row| {
        Ok(Message { seq: row.get(0)?, created_ms: row.get(1)?, body: row.get(2)? })
    })?;
    Ok(Page { items: rows.collect::<Result<_, _>>()? })
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
