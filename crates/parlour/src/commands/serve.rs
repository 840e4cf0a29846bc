//! `parlour serve`: runs the hub.

use std::{env, io, net::SocketAddr, path::Path, sync::Arc};

use clap::Args;
use parlour_adapters::{
    Argon2Passwords, FileBlobs, FileKeys, RandomIds, SqliteOptions, SqliteStore, SystemClock, TrustedIssuers,
};
use parlour_hub::{
    Failure as HubFailure, Hub, Ports,
    ports::{Ids, Issuers, NoIssuers},
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
    settings::{Flags, ForServer, IssuerSettings, ServerSettings, Sources},
};

mod banner;
mod logging;
mod reload;
mod stop;

use banner::Banner;
use reload::Reload;

const EXAMPLES: &str = "\
Examples:
  parlour serve
  parlour serve --listen 127.0.0.1:8080 --data ~/parlour
  PARLOUR_ADMIN_TOKEN=$(openssl rand -hex 32) parlour serve --log-format json";

/// Run the hub; this is also what happens without a command
///
/// Everything it keeps is in the data folder. The first start makes an administrator and a sample project. Ctrl+C stops
/// it: it takes no more requests, ends those under way and closes its store.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    #[command(flatten)]
    flags: Flags<ForServer>,
}

impl Serve {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let settings = ServerSettings::read(&Sources::open(&self.flags, &|name| env::var_os(name))?)?;
        logging::install(&settings.log, settings.log_format);
        serve(&settings).await?;
        Ok(Output::default())
    }
}

/// Everything that is opened is closed in reverse order when this ends, the lock last.
async fn serve(settings: &ServerSettings) -> Result<(), Failure> {
    // First of all: whoever reads the banner may stop the hub at once, and a stop is always a clean one.
    let stop = stop::on_signal();
    let reload = Reload::begin(settings.tls.as_ref())?;
    let tls = reload.as_ref().map(Reload::tls);
    let engines = Engines::open(&settings.providers)?;
    let rerankers = Rerankers::open(&settings.rerankers)?;
    let privacy = open_folder(&settings.data)?;
    let mut lock = take_lock(&settings.data)?;
    let listener = bind(settings.listen).await?;
    let address = listener.local_addr().map_err(|error| Failure::broken("ask for the own address", &error))?;
    let (hub, store) = open_hub(settings, &engines, rerankers)?;
    let start = hub.first_start(settings.admin_token.as_deref()).await.map_err(|failure| told("start", &failure))?;
    let left = hub.interrupt_abandoned_streams().await.map_err(|failure| told("end what was left open", &failure))?;
    if left > 0 {
        tracing::info!(count = left, "answers of an earlier run were ended as interrupted");
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
            never = reload::keep_fresh(reload) => match never {},
        }
    })
    .await;
    store.close();
    tracing::info!("stopped");
    outcome.map_err(|error| Failure::broken("serve", &error))
}

/// How the hub is reached.
fn transport(settings: &ServerSettings, tls: Option<Arc<Tls>>) -> ServeOptions {
    let connections_per_address_max = settings.connections_per_address;
    let limits = ServeLimits { connections_per_address_max, ..ServeLimits::default() };
    ServeOptions { tls, proxies: settings.proxies.clone(), limits }
}

/// Keeps the hub live, and its own agents running, while its surfaces serve. Surfaces and agents end first, on the same
/// word; then the hub keeps what was still being written, for which it needs the store.
async fn serve_live<T>(
    hub: Arc<Hub>,
    hosting: Hosting,
    stop: CancellationToken,
    serving: impl Future<Output = T>,
) -> T {
    let stop_live = CancellationToken::new();
    let live = tokio::spawn(Arc::clone(&hub).drive(stop_live.clone()));
    let agents = tokio::spawn(hosting.run(stop.clone()));
    // Requests that wait for something to happen would hold up the end.
    let (waiting, stopped) = (Arc::clone(&hub), stop.clone());
    tokio::spawn(async move {
        stopped.cancelled().await;
        waiting.end_waits();
    });
    let outcome = serving.await;
    // Surfaces that broke down by themselves end the agents too.
    stop.cancel();
    if let Err(error) = agents.await {
        tracing::error!(%error, "the agents of the hub broke down");
    }
    stop_live.cancel();
    if let Err(error) = live.await {
        tracing::error!(%error, "the live part of the hub broke down");
    }
    outcome
}

/// The folder is made here and nowhere else, so that its rights are right from the start.
fn open_folder(folder: &Path) -> Result<Privacy, Failure> {
    data_folder::keep_to_owner();
    data_folder::prepare(folder).map_err(|error| {
        Failure::broken(format!("the data folder {} cannot be used", folder.display()), &error)
            .hint("choose another with --data or PARLOUR_DATA")
    })
}

/// Two hubs on one folder would each believe to be the only writer.
fn take_lock(folder: &Path) -> Result<FolderLock, Failure> {
    FolderLock::take(folder).map_err(|reason| match reason {
        NotTaken::Held(holder) => already_running(folder, holder.as_ref()),
        NotTaken::Broken(error) => Failure::broken(format!("lock the data folder {}", folder.display()), &error),
    })
}

/// Most often the other hub is what its user wanted anyway: its address comes along.
fn already_running(folder: &Path, holder: Option<&Holder>) -> Failure {
    let process = holder.map(|holder| format!(", process {}", holder.pid)).unwrap_or_default();
    let failure = Failure::new(format!("a hub already runs on the data folder {}{process}", folder.display()));
    match holder.and_then(|holder| holder.url.as_deref()) {
        Some(url) => failure.hint(format!("use it at {url}, or choose another folder with --data")),
        None => failure.hint("choose another folder with --data"),
    }
}

/// Before the store is opened: a taken port is noticed while nothing has been changed.
async fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => {
            let free = SocketAddr::new(address.ip(), 0);
            Failure::new(format!("port {} on {} is taken by another program", address.port(), address.ip()))
                .hint(format!("parlour serve --listen {free} takes any free port; `parlour doctor` looks who it is"))
        }
        _ => Failure::broken(format!("listen on {address}"), &error).hint("choose another address with --listen"),
    })
}

/// The only place that names adapters.
fn open_hub(
    settings: &ServerSettings,
    engines: &Engines,
    rerankers: Rerankers,
) -> Result<(Arc<Hub>, SqliteStore), Failure> {
    let folder = &settings.data;
    let store = SqliteStore::open(folder, SqliteOptions::default())
        .map_err(|error| Failure::broken("open the store", &error).hint("parlour doctor"))?;
    let blobs = FileBlobs::open(folder).map_err(|failure| told("open the files", &failure))?;
    let keys = FileKeys::open(folder).map_err(|failure| told("open the keys", &failure))?;
    let ports = Ports {
        store: Arc::new(store.clone()),
        blobs: Arc::new(blobs),
        clock: Arc::new(SystemClock::default()),
        ids: Arc::new(RandomIds),
        keys: Arc::new(keys),
        issuers: open_issuers(settings.issuer.as_ref())?,
        passwords: Arc::new(Argon2Passwords::default()),
    };
    let hub = Hub::new(ports).with_rates(settings.rates.clone()).with_engines(engines.offers());
    let hub = hub.with_summariser(Arc::new(engines.clone())).with_reranker(Arc::new(rerankers));
    Ok((Arc::new(hub), store))
}

/// Trusts the issuer of the settings, if they name one.
fn open_issuers(issuer: Option<&IssuerSettings>) -> Result<Arc<dyn Issuers>, Failure> {
    let Some(issuer) = issuer else { return Ok(Arc::new(NoIssuers)) };
    if issuer.keys.is_unprotected() {
        tracing::warn!("the keys of the trusted issuer come over plain HTTP: whoever is on the way can let anybody in");
    }
    let trusted = TrustedIssuers::new(&issuer.name, &issuer.audience, issuer.keys.clone());
    Ok(Arc::new(trusted.map_err(|failure| told("trust another issuer", &failure))?))
}

/// A failure of the hub, told with all its causes: whoever starts a hub is its operator.
fn told(doing: &str, failure: &HubFailure) -> Failure {
    match failure {
        HubFailure::Refused(refusal) => Failure::new(format!("{doing}: {refusal}")),
        HubFailure::Fault(fault) => Failure::new(format!("{doing}: {}", fault.chain())),
    }
}

/// What the surface believes of a request.
fn http_guard(settings: &ServerSettings) -> HttpGuard {
    let (hosts, origins) = (settings.hosts.clone(), settings.origins.clone());
    HttpGuard { hosts, origins, proxies: settings.proxies.clone(), is_tls: settings.tls.is_some() }
}

/// A few random digits tell the runs of a hub apart in ids of requests.
fn server_info() -> ServerInfo {
    let instance = format!("{:06x}", RandomIds.next_bits() & 0x00ff_ffff);
    ServerInfo { version: env!("CARGO_PKG_VERSION").to_owned(), instance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_start_says_who_runs_and_where() {
        let holder = Holder { pid: 42, url: Some("http://127.0.0.1:4870".into()) };
        let text = already_running(Path::new("data"), Some(&holder)).to_string();
        let expected = "parlour: a hub already runs on the data folder data, process 42\n  \
                        try: use it at http://127.0.0.1:4870, or choose another folder with --data";
        assert_eq!(text, expected);
        assert!(already_running(Path::new("data"), None).to_string().contains("choose another folder"));
    }

    #[tokio::test]
    async fn a_taken_port_is_named_with_a_way_out() {
        let taken = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = taken.local_addr().expect("bound");
        let text = bind(address).await.expect_err("taken").to_string();
        assert!(text.contains(&format!("port {} on 127.0.0.1 is taken", address.port())), "{text}");
        assert!(text.contains("--listen 127.0.0.1:0"), "{text}");
    }

    #[test]
    fn runs_are_told_apart_by_plain_digits() {
        let instance = server_info().instance;
        assert!(instance.len() == 6 && instance.bytes().all(|byte| byte.is_ascii_hexdigit()), "{instance}");
    }
}
