//! What a project has decided for itself: retention, token budgets, when agents are called, and the limits of their loops.

use serde::{Deserialize, Serialize};

use crate::{Refusal, Timestamp, context::ContextRules};

/// The rules of one project; what a project does not set has these defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// How long things are kept.
    pub retention: Retention,
    /// How many tokens the hub may put before a model.
    pub budgets: Budgets,
    /// When chains of agents are stopped.
    pub loop_limits: LoopLimits,
    /// When agents are called.
    pub calls: CallRules,
    /// How answers are streamed.
    pub streams: StreamRules,
    /// How what models see is chosen.
    pub context: ContextRules,
}

/// How answers are streamed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct StreamRules {
    /// How long pieces of an answer are gathered before readers are told, from the first piece on.
    #[cfg_attr(feature = "schema", schema(minimum = 20, maximum = 10_000))]
    pub window_ms: u64,
    /// How long an answer stays open without a sign of its producer.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 3_600))]
    pub lease_seconds: u64,
}

/// How long things are kept; absent means for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// How many messages a conversation keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000_000))]
    pub messages_per_conversation_max: Option<u64>,
    /// How many days a message is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 36_500))]
    pub message_days_max: Option<u64>,
    /// How many days the log keeps its events, and so how far back a reader can resume.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 36_500))]
    pub event_days_max: Option<u64>,
    /// How many days an artifact is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 36_500))]
    pub artifact_days_max: Option<u64>,
}

/// How many tokens the hub may put before a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Budgets {
    /// Tokens of messages injected into a run.
    #[cfg_attr(feature = "schema", schema(minimum = 64, maximum = 100_000))]
    pub injection_tokens_max: u64,
    /// Tokens of a whole pack.
    #[cfg_attr(feature = "schema", schema(minimum = 64, maximum = 1_000_000))]
    pub pack_tokens_max: u64,
    /// Tokens of the conversation itself, where a model is given it as a list beside the pack.
    #[cfg_attr(feature = "schema", schema(minimum = 64, maximum = 1_000_000))]
    pub history_tokens_max: u64,
}

/// When chains of agents are stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct LoopLimits {
    /// How many answers of agents may follow a person's message before they need a person again: a message as deep as
    /// this calls nobody.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 50))]
    pub response_depth_max: u64,
    /// How many messages two agents may exchange within the pair window.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 10_000))]
    pub pair_messages_max: u64,
    /// The length of the pair window.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 86_400))]
    pub pair_window_seconds: u64,
    /// How long two agents are silent towards each other after the window was full.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 86_400))]
    pub pair_silence_seconds: u64,
    /// How often the same agent may stand again in the chain that led to a message.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 50))]
    pub chain_repeats_max: u64,
    /// How many messages agents may write in one conversation until a person speaks there again; the last of them calls
    /// nobody. More than the loop guard can look back on are as many as that.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 10_000))]
    pub conversation_answers_max: u64,
    /// How many nearly equal messages agents may write in one conversation until a person speaks there again; the last of
    /// them calls nobody. One that resembles no other always may.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 100))]
    pub similar_answers_max: u64,
    /// How deep the calls between agents under one correlation id may go; coming back to an agent does not count.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 50))]
    pub correlation_depth_max: u64,
    /// How long agents may call each other under one correlation id.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 31_536_000))]
    pub correlation_age_seconds: u64,
    /// How many calls agents may make under one correlation id within its window.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 200))]
    pub correlation_calls_max: u64,
    /// The length of that window.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 86_400))]
    pub correlation_window_seconds: u64,
}

/// When agents are called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct CallRules {
    /// How long an agent follows a thread after it was mentioned or has written there.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 604_800))]
    pub follow_idle_seconds: u64,
    /// How many messages without a mention call an agent that follows a thread; 0 means none.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 50))]
    pub follow_messages_max: u64,
    /// How many agents a wide mention may call.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 50))]
    pub wide_agents_max: u64,
    /// How many calls of one agent may wait in one conversation.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000))]
    pub waiting_max: u64,
    /// How long a call waits for its agent.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 31_536_000))]
    pub expire_seconds: u64,
}

impl Default for Budgets {
    fn default() -> Self {
        Self { injection_tokens_max: 512, pack_tokens_max: 1_024, history_tokens_max: 8_192 }
    }
}

impl Default for LoopLimits {
    fn default() -> Self {
        Self {
            response_depth_max: 3,
            pair_messages_max: 20,
            pair_window_seconds: 60,
            pair_silence_seconds: 60,
            chain_repeats_max: 0,
            conversation_answers_max: 30,
            similar_answers_max: 3,
            correlation_depth_max: 2,
            correlation_age_seconds: 3_600,
            correlation_calls_max: 10,
            correlation_window_seconds: 60,
        }
    }
}

impl Default for CallRules {
    fn default() -> Self {
        Self {
            follow_idle_seconds: 600,
            follow_messages_max: 10,
            wide_agents_max: 10,
            waiting_max: 20,
            expire_seconds: 86_400,
        }
    }
}

impl Default for StreamRules {
    fn default() -> Self {
        Self { window_ms: 200, lease_seconds: 30 }
    }
}

impl Policy {
    /// Refuses a policy with a value that could stop the project from working, or the hub from bounding it.
    pub fn check(&self) -> Result<(), Refusal> {
        let (keep, budgets, loops, calls) = (&self.retention, &self.budgets, &self.loop_limits, &self.calls);
        let rows = [
            (
                "retention.messages_per_conversation_max",
                keep.messages_per_conversation_max.unwrap_or(1),
                1,
                1_000_000_000,
            ),
            ("retention.message_days_max", keep.message_days_max.unwrap_or(1), 1, 36_500),
            ("retention.event_days_max", keep.event_days_max.unwrap_or(1), 1, 36_500),
            ("retention.artifact_days_max", keep.artifact_days_max.unwrap_or(1), 1, 36_500),
            ("budgets.injection_tokens_max", budgets.injection_tokens_max, 64, 100_000),
            ("budgets.pack_tokens_max", budgets.pack_tokens_max, 64, 1_000_000),
            ("budgets.history_tokens_max", budgets.history_tokens_max, 64, 1_000_000),
            ("loop_limits.response_depth_max", loops.response_depth_max, 1, 50),
            ("loop_limits.pair_messages_max", loops.pair_messages_max, 1, 10_000),
            ("loop_limits.pair_window_seconds", loops.pair_window_seconds, 1, 86_400),
            ("loop_limits.pair_silence_seconds", loops.pair_silence_seconds, 1, 86_400),
            ("loop_limits.chain_repeats_max", loops.chain_repeats_max, 0, 50),
            ("loop_limits.conversation_answers_max", loops.conversation_answers_max, 1, 10_000),
            ("loop_limits.similar_answers_max", loops.similar_answers_max, 1, 100),
            ("loop_limits.correlation_depth_max", loops.correlation_depth_max, 1, 50),
            ("loop_limits.correlation_age_seconds", loops.correlation_age_seconds, 1, 31_536_000),
            ("loop_limits.correlation_calls_max", loops.correlation_calls_max, 1, 200),
            ("loop_limits.correlation_window_seconds", loops.correlation_window_seconds, 1, 86_400),
            ("calls.follow_idle_seconds", calls.follow_idle_seconds, 1, 604_800),
            ("calls.follow_messages_max", calls.follow_messages_max, 0, 50),
            ("calls.wide_agents_max", calls.wide_agents_max, 0, 50),
            ("calls.waiting_max", calls.waiting_max, 1, 1_000),
            ("calls.expire_seconds", calls.expire_seconds, 1, 31_536_000),
            ("streams.window_ms", self.streams.window_ms, 20, 10_000),
            ("streams.lease_seconds", self.streams.lease_seconds, 1, 3_600),
        ];
        for (field, value, least, most) in rows {
            if !(least..=most).contains(&value) {
                let detail = format!("{field} is {value}; it may be {least} to {most}");
                return Err(Refusal::out_of_bounds(detail).at(field));
            }
        }
        self.context.check().map_err(|refusal| refusal.at("context"))
    }
}

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

impl Retention {
    /// The offset up to which a log is pruned; nothing when all events are kept.
    ///
    /// `oldest` holds the first events of the log with their times, in the order of their offsets. The last of them is
    /// always kept, because the next offset follows from the end of the log. An old event behind a newer one is kept as
    /// well, because a log has no holes.
    pub fn prune_up_to(&self, oldest: &[(u64, Timestamp)], now: Timestamp) -> Option<u64> {
        let days = i64::try_from(self.event_days_max?).unwrap_or(i64::MAX);
        let kept_from = now.as_millis().saturating_sub(days.saturating_mul(DAY_MS));
        let (_, candidates) = oldest.split_last()?;
        let old = candidates.iter().take_while(|(_, at)| at.as_millis() < kept_from);
        old.last().map(|(offset, _)| *offset)
    }
}

#[cfg(test)]
mod tests;
