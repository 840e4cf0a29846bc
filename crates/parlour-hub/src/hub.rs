//! The hub: builds the services and runs their background work. `facade` contains the requests.

use std::sync::Arc;

use futures_util::future;
use parlour_core::{engine::EngineOffer, paging::PageRequest, position::StartTag, rate::Rates};
use tokio_util::sync::CancellationToken;

use crate::{
    Failure,
    accounts::AccountService,
    audit::AuditLog,
    calling::CallService,
    context::ContextService,
    infrastructure::{Infrastructure, Ports},
    live::LiveService,
    ports::{Clock, NoModels, Reranker, Summariser},
    presence::PresenceService,
    questions::QuestionService,
    rates::RateLimiter,
    streams::StreamService,
    use_cases::{
        ArtifactService, ConversationService, HistoryService, InboxService, MessageService, ProjectService,
        QuestionBoard, RunService, TaskService,
    },
};

/// How often logs are pruned and expired tokens removed.
const PRUNE_MS: u64 = 3_600_000;

/// The use cases of Parlour over a set of ports: a facade over the services. Cheap to share behind an `Arc`.
pub struct Hub {
    pub(crate) infrastructure: Infrastructure,
    options: HubOptions,
    pub(crate) rates: Arc<RateLimiter>,
    pub(crate) audit: Arc<AuditLog>,
    pub(crate) accounts: Arc<AccountService>,
    pub(crate) presence: Arc<PresenceService>,
    pub(crate) live: Arc<LiveService>,
    pub(crate) calls: Arc<CallService>,
    pub(crate) streams: Arc<StreamService>,
    pub(crate) messages: Arc<MessageService>,
    pub(crate) context: Arc<ContextService>,
    pub(crate) conversations: ConversationService,
    pub(crate) history: HistoryService,
    pub(crate) inbox: InboxService,
    pub(crate) questions: QuestionBoard,
    pub(crate) runs: RunService,
    pub(crate) projects: ProjectService,
    pub(crate) tasks: TaskService,
    pub(crate) artifacts: ArtifactService,
}

/// What an operator can choose beside the ports.
struct HubOptions {
    rates: Rates,
    /// The engines that can answer for agents which the hub runs itself.
    engines: Arc<[EngineOffer]>,
    summariser: Arc<dyn Summariser>,
    reranker: Arc<dyn Reranker>,
}

impl Default for HubOptions {
    fn default() -> Self {
        Self {
            rates: Rates::default(),
            engines: Arc::default(),
            summariser: Arc::new(NoModels),
            reranker: Arc::new(NoModels),
        }
    }
}

impl Hub {
    /// Builds the services over these ports, with the default rates, without engines, summariser and reranker.
    pub fn new(ports: Ports) -> Self {
        Self::build(ports, HubOptions::default())
    }

    fn build(ports: Ports, options: HubOptions) -> Self {
        let parts = Infrastructure::new(ports);
        let rates = Arc::new(RateLimiter::new(options.rates.clone(), &parts.ports.clock));
        let audit = Arc::new(AuditLog::new(&parts));
        let presence = Arc::new(PresenceService::new(&parts));
        let accounts = Arc::new(AccountService::new(&parts, &presence, &audit, &options.engines));
        let calls = Arc::new(CallService::new(&parts));
        let questions = Arc::new(QuestionService::new(&parts));
        let streams = Arc::new(StreamService::new(&parts, &calls, &questions));
        let messages = Arc::new(MessageService::new(&parts, &rates, &calls, &questions, &streams));
        let models = (Arc::clone(&options.summariser), Arc::clone(&options.reranker));
        let context = Arc::new(ContextService::new(&parts, &options.engines, models));
        Self {
            live: Arc::new(LiveService::new(&parts, &accounts, &presence, &streams)),
            conversations: ConversationService::new(&parts, &messages),
            history: HistoryService::new(&parts, &streams, &presence, &context),
            inbox: InboxService::new(&parts),
            questions: QuestionBoard::new(&parts, &questions, &streams),
            runs: RunService::new(&parts, &context),
            projects: ProjectService::new(&parts, &accounts, &context),
            tasks: TaskService::new(&parts),
            artifacts: ArtifactService::new(&parts),
            infrastructure: parts,
            options,
            rates,
            audit,
            accounts,
            presence,
            calls,
            streams,
            messages,
            context,
        }
    }

    fn rebuild(self, change: impl FnOnce(&mut HubOptions)) -> Self {
        let mut options = self.options;
        change(&mut options);
        Self::build(self.infrastructure.ports, options)
    }

    /// A new hub with other rates; by default all are on.
    #[must_use]
    pub fn with_rates(self, rates: Rates) -> Self {
        self.rebuild(|options| options.rates = rates)
    }

    /// A new hub that offers these engines.
    #[must_use]
    pub fn with_engines(self, offers: Vec<EngineOffer>) -> Self {
        self.rebuild(|options| options.engines = offers.into())
    }

    /// A new hub with a model that writes summaries.
    #[must_use]
    pub fn with_summariser(self, summariser: Arc<dyn Summariser>) -> Self {
        self.rebuild(|options| options.summariser = summariser)
    }

    /// A new hub with rerankers that projects can name.
    #[must_use]
    pub fn with_reranker(self, reranker: Arc<dyn Reranker>) -> Self {
        self.rebuild(|options| options.reranker = reranker)
    }

    /// Marks all positions that the hub issues from now on as those of this start. Call it once, before anything else: a
    /// reader whose position comes from a log that this one has replaced then gets a gap.
    pub async fn begin_start(&self) -> Result<(), Failure> {
        let Ports { ids, store, .. } = &self.infrastructure.ports;
        let [a, b, c, d, e, f, g, h, ..] = ids.new_secret();
        store.begin_start(StartTag::from_random([a, b, c, d, e, f, g, h])).await
    }

    /// Returns when the store answers a read.
    pub async fn check_ready(&self) -> Result<(), Failure> {
        self.infrastructure.ports.store.people(&PageRequest::new(None, Some(1))?).await?;
        Ok(())
    }

    /// The clock, for surfaces that wait.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.infrastructure.ports.clock
    }

    /// Ends all requests that wait for a change, and all summaries under way; further ones do not wait. Called when
    /// the hub stops.
    pub fn end_waits(&self) {
        self.infrastructure.run_supervisor.waiters.end();
        self.context.summaries().end();
    }

    /// Runs the background work of the hub: the fan-out, streams, leases of runs, expiring questions, presence,
    /// pruning of logs and removal of expired tokens.
    ///
    /// Without it live readers receive nothing. On `stop` all sessions end (`Stopping`) and the texts of open streams
    /// are saved for the next start.
    pub async fn drive(self: Arc<Self>, stop: CancellationToken) {
        let Some(fan_out) = self.live.fan_out() else {
            tracing::error!("a hub runs only once");
            return;
        };
        let maintenance = future::join(self.infrastructure.run_supervisor.run_loops(), self.run_pruning_loop());
        let work = future::join4(fan_out, self.streams.run_loops(), self.presence.run_loop(), maintenance);
        stop.run_until_cancelled(work).await;
        self.end_waits();
        self.live.stop();
        self.streams.save_all_streams().await;
    }

    /// Removes old events and expired tokens regularly.
    async fn run_pruning_loop(&self) {
        let Ports { store, clock, .. } = &self.infrastructure.ports;
        loop {
            self.accounts.forget_expired_tokens().await;
            match store.prune_logs(clock.now()).await {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "old events were pruned"),
                Err(failure) => tracing::warn!(cause = %failure, "the logs could not be pruned"),
            }
            clock.sleep_until(clock.now().plus_millis(PRUNE_MS)).await;
        }
    }
}
