//! `parlour serve`: runs the hub.

use std::{env, io, net::SocketAddr, path::Path, sync::Arc, time::Duration};

use clap::Args;
use parlour_adapters::{
    Argon2Passwords, FileBlobs, FileKeys, RandomIds, SqliteOptions, SqliteStore, SystemClock, TrustedIssuers,
};
use parlour_hub::{
    Failure as HubFailure, Hub, Ports,
    ports::{Clock as _, Ids, Issuers, Log as _, NoIssuers},
};
use parlour_server::{HttpGuard, ServeLimits, ServeOptions, ServerInfo, Tls};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{
    data_folder::{self, Privacy},
    failure::Failure,
    folder_lock::{FolderLock, Holder, NotTaken},
    hosting::{Engines, Hosting, Rerankers},
    output::Output,
    settings::{ForServer, IssuerSettings, ServerSettings, SettingFlags, SettingSources},
};

mod banner;
mod logging;
mod signals;

use banner::Banner;
use signals::Reload;

/// A smaller lead of the hub over the clock of the system is not logged: network time corrects clocks by that much.
const CLOCK_LEAD_WARNED: Duration = Duration::from_secs(10);

const EXAMPLES: &str = "\
Examples:
  parlour serve
  parlour serve --listen 127.0.0.1:8080 --data ~/parlour
  PARLOUR_ADMIN_TOKEN=$(openssl rand -hex 32) parlour serve --log-format json";

/// Run the hub; also the default without a command
///
/// All data is in the data folder. The first start creates an administrator and a sample project. Ctrl+C stops the hub: it
/// accepts no new requests, finishes the running ones and closes its store.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeCommand {
    #[command(flatten)]
    flags: SettingFlags<ForServer>,
}

impl ServeCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let settings = ServerSettings::read(&SettingSources::open(&self.flags, &|name| env::var_os(name))?)?;
        logging::install(&settings.log, settings.log_format);
        serve(&settings).await?;
        Ok(Output::default())
    }
}

/// Opens all parts and runs the hub. They are closed in reverse order, the lock last.
async fn serve(settings: &ServerSettings) -> Result<(), Failure> {
    // First: a signal right after the banner must already stop the hub cleanly.
    let stop = signals::on_signal();
    let reload = Reload::begin(settings.tls.as_ref())?;
    let tls = reload.as_ref().map(Reload::tls);
    let engines = Engines::open(&settings.providers)?;
    let rerankers = Rerankers::open(&settings.rerankers)?;
    let privacy = open_folder(&settings.data)?;
    let mut lock = take_lock(&settings.data)?;
    let listener = bind(settings.listen).await?;
    let address = listener.local_addr().map_err(|error| Failure::broken("read the local address", &error))?;
    let (hub, store) = open_hub(settings, &engines, rerankers).await?;
    hub.begin_start().await.map_err(|failure| failure_text("begin the start", &failure))?;
    let start =
        hub.first_start(settings.admin_token.as_deref()).await.map_err(|failure| failure_text("start", &failure))?;
    let left = hub
        .interrupt_abandoned_streams()
        .await
        .map_err(|failure| failure_text("interrupt abandoned streams", &failure))?;
    if left > 0 {
        tracing::info!(count = left, "answers of an earlier run were marked as interrupted");
    }
    let banner =
        Banner { address, data: data_folder::whole_path(&settings.data), privacy, start, is_tls: tls.is_some() };
    lock.announce(Some(&banner.url())).map_err(|error| Failure::broken("write the lock", &error))?;
    banner.write(settings.admin_token.as_deref());
    let surface = if settings.has_fixtures { parlour_server::app_with_fixtures } else { parlour_server::app };
    let app = surface(Arc::clone(&hub), server_info(), http_guard(settings));
    let serving = parlour_server::serve_with(listener, app, transport(settings, tls), stop.clone());
    let hosting = Hosting::new(Arc::clone(&hub), engines);
    let outcome = serve_live(hub, hosting, stop, async {
        tokio::select! {
            outcome = serving => outcome,
            never = signals::keep_fresh(reload) => match never {},
        }
    })
    .await;
    store.close();
    tracing::info!("stopped");
    outcome.map_err(|error| Failure::broken("serve", &error))
}

fn transport(settings: &ServerSettings, tls: Option<Arc<Tls>>) -> ServeOptions {
    let connections_per_address_max = settings.connections_per_address;
    let limits = ServeLimits { connections_per_address_max, ..ServeLimits::default() };
    ServeOptions { tls, proxies: settings.proxies.clone(), limits }
}

/// Runs the background tasks of the hub and the hosted agents while the surfaces serve. At the stop, surfaces and agents
/// end first; then the hub stores what is still in memory.
async fn serve_live<T>(
    hub: Arc<Hub>,
    hosting: Hosting,
    stop: CancellationToken,
    serving: impl Future<Output = T>,
) -> T {
    let stop_live = CancellationToken::new();
    let live = tokio::spawn(Arc::clone(&hub).drive(stop_live.clone()));
    let agents = tokio::spawn(hosting.run(stop.clone()));
    // Waiting requests would delay the stop.
    let (waiting, stopped) = (Arc::clone(&hub), stop.clone());
    tokio::spawn(async move {
        stopped.cancelled().await;
        waiting.end_waits();
    });
    let outcome = serving.await;
    // Also when the surfaces failed.
    stop.cancel();
    if let Err(error) = agents.await {
        tracing::error!(%error, "hosting of agents failed");
    }
    stop_live.cancel();
    if let Err(error) = live.await {
        tracing::error!(%error, "the background tasks of the hub failed");
    }
    outcome
}

/// Creates the data folder with the right permissions.
fn open_folder(folder: &Path) -> Result<Privacy, Failure> {
    data_folder::keep_to_owner();
    data_folder::prepare(folder).map_err(|error| {
        Failure::broken(format!("cannot use the data folder {}", folder.display()), &error)
            .hint("select another folder with --data or PARLOUR_DATA")
    })
}

/// Takes the lock of the data folder: the store supports one writer process.
fn take_lock(folder: &Path) -> Result<FolderLock, Failure> {
    FolderLock::take(folder).map_err(|reason| match reason {
        NotTaken::Held(holder) => already_running(folder, holder.as_ref()),
        NotTaken::Broken(error) => Failure::broken(format!("lock the data folder {}", folder.display()), &error),
    })
}

fn already_running(folder: &Path, holder: Option<&Holder>) -> Failure {
    let process = holder.map(|holder| format!(", process {}", holder.pid)).unwrap_or_default();
    let failure = Failure::new(format!("a hub is already running on the data folder {}{process}", folder.display()));
    match holder.and_then(|holder| holder.url.as_deref()) {
        Some(url) => failure.hint(format!("use it at {url}, or select another folder with --data")),
        None => failure.hint("select another folder with --data"),
    }
}

/// Binds before the store is opened, so that a used port changes nothing.
async fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => {
            let free = SocketAddr::new(address.ip(), 0);
            Failure::new(format!("port {} on {} is in use by another program", address.port(), address.ip()))
                .hint(format!("`parlour serve --listen {free}` uses any free port; `parlour doctor` checks the port"))
        }
        _ => Failure::broken(format!("listen on {address}"), &error).hint("select another address with --listen"),
    })
}

/// Connects the adapters to the ports of the hub.
async fn open_hub(
    settings: &ServerSettings,
    engines: &Engines,
    rerankers: Rerankers,
) -> Result<(Arc<Hub>, SqliteStore), Failure> {
    let folder = &settings.data;
    let store = SqliteStore::open(folder, SqliteOptions::default())
        .map_err(|error| Failure::broken("open the store", &error).hint("parlour doctor"))?;
    let blobs = FileBlobs::open(folder).map_err(|failure| failure_text("open the artifact store", &failure))?;
    let clock = open_clock(&store).await.map_err(|failure| failure_text("read the newest event", &failure))?;
    let keys = FileKeys::open_at(folder, clock.now());
    let keys = keys.map_err(|failure| failure_text("open the signing keys", &failure))?;
    let ports = Ports {
        store: Arc::new(store.clone()),
        blobs: Arc::new(blobs),
        clock: Arc::new(clock),
        ids: Arc::new(RandomIds),
        keys: Arc::new(keys),
        issuers: open_issuers(settings.issuer.as_ref())?,
        passwords: Arc::new(Argon2Passwords::default()),
    };
    let hub = Hub::new(ports).with_rates(settings.rates.clone()).with_engines(engines.offers());
    let hub = hub.with_summariser(Arc::new(engines.clone())).with_reranker(Arc::new(rerankers));
    Ok((Arc::new(hub), store))
}

/// The clock continues from the newest event, so that credentials that have expired stay expired if the wall clock was set
/// back meanwhile.
async fn open_clock(store: &SqliteStore) -> Result<SystemClock, HubFailure> {
    let newest = store.newest_event_at().await?;
    let clock = newest.map_or_else(SystemClock::default, SystemClock::not_before);
    if clock.lead() >= CLOCK_LEAD_WARNED {
        tracing::warn!(
            time = %clock.now(),
            ahead_s = clock.lead().as_secs(),
            "the newest event is later than the clock of the system; the time of the hub continues from that event"
        );
    }
    Ok(clock)
}

fn open_issuers(issuer: Option<&IssuerSettings>) -> Result<Arc<dyn Issuers>, Failure> {
    let Some(issuer) = issuer else { return Ok(Arc::new(NoIssuers)) };
    if issuer.keys.is_unprotected() {
        tracing::warn!(
            "the keys of the trusted issuer are loaded over plain HTTP: an attacker on the network can forge tokens"
        );
    }
    let trusted = TrustedIssuers::new(&issuer.name, &issuer.audience, issuer.keys.clone());
    Ok(Arc::new(trusted.map_err(|failure| failure_text("load the trusted issuer", &failure))?))
}

/// Includes all causes: the reader is the operator.
fn failure_text(doing: &str, failure: &HubFailure) -> Failure {
    match failure {
        HubFailure::Refused(refusal) => Failure::new(format!("{doing}: {refusal}")),
        HubFailure::Fault(fault) => Failure::new(format!("{doing}: {}", fault.chain())),
    }
}

fn http_guard(settings: &ServerSettings) -> HttpGuard {
    let (hosts, origins) = (settings.hosts.clone(), settings.origins.clone());
    HttpGuard { hosts, origins, proxies: settings.proxies.clone(), is_tls: settings.tls.is_some() }
}

/// The random instance number distinguishes request ids of different runs of the hub.
fn server_info() -> ServerInfo {
    let instance = format!("{:06x}", RandomIds.next_bits() & 0x00ff_ffff);
    ServerInfo { version: env!("CARGO_PKG_VERSION").to_owned(), instance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_start_names_the_running_process_and_its_address() {
        let holder = Holder { pid: 42, url: Some("http://127.0.0.1:4870".into()) };
        let text = already_running(Path::new("data"), Some(&holder)).to_string();
        let expected = "parlour: a hub is already running on the data folder data, process 42\n  \
                        try: use it at http://127.0.0.1:4870, or select another folder with --data";
        assert_eq!(text, expected);
        assert!(already_running(Path::new("data"), None).to_string().contains("select another folder"));
    }

    #[tokio::test]
    async fn a_used_port_is_reported_with_a_remedy() {
        let taken = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = taken.local_addr().expect("bound");
        let text = bind(address).await.expect_err("taken").to_string();
        assert!(text.contains(&format!("port {} on 127.0.0.1 is in use", address.port())), "{text}");
        assert!(text.contains("--listen 127.0.0.1:0"), "{text}");
    }

    #[test]
    fn the_instance_id_has_six_hex_digits() {
        let instance = server_info().instance;
        assert!(instance.len() == 6 && instance.bytes().all(|byte| byte.is_ascii_hexdigit()), "{instance}");
    }
}
