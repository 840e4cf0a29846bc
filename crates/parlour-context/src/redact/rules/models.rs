//! Providers of models.

use super::super::{
    check,
    rule::{Rule, rule, token},
};

pub(super) const RULES: &[Rule] = &[
    token("anthropic-key", &["sk-ant-"], r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    token("openrouter-key", &["sk-or-"], r"\bsk-or-(?:v\d-)?[A-Za-z0-9_-]{20,}"),
    token("langfuse-key", &["sk-lf-"], r"\bsk-lf-[0-9a-f]{8}-[0-9a-f-]{20,27}\b"),
    token("openai-key", &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-none-"], r"\bsk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{16,}"),
    token("openai-key", &["sk-"], r"\bsk-[A-Za-z0-9]{18,}\b").checked(check::is_mixed),
    token("openai-key", &["sess-"], r"\bsess-[A-Za-z0-9]{40}\b"),
    token("huggingface-token", &["hf_", "api_org_"], r"\b(?:hf_[A-Za-z0-9]{30,}|api_org_[A-Za-z0-9]{34})\b").checked(check::is_mixed),
    token("replicate-token", &["r8_"], r"\br8_[A-Za-z0-9]{30,}"),
    token("groq-key", &["gsk_"], r"\bgsk_[A-Za-z0-9]{40,}"),
    token("xai-key", &["xai-"], r"\bxai-[A-Za-z0-9]{40,}"),
    token("perplexity-key", &["pplx-"], r"\bpplx-[A-Za-z0-9]{40,}"),
    token("langsmith-key", &["lsv2_", "ls__"], r"\b(?:lsv2_(?:pt|sk|service)_[a-f0-9]{32}_[a-f0-9]{10}|ls__[a-f0-9]{32})\b"),
    token("pinecone-key", &["pcsk_"], r"\bpcsk_[A-Za-z0-9_]{40,}"),
    rule("pinecone-key", &["pinecone"], r"(?i)pinecone[^\n]{0,60}?\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b").checked(check::has_key_word),
    token("fireworks-key", &["fw_"], r"\bfw_[A-Za-z0-9]{22,24}\b").checked(check::is_mixed),
    token("together-key", &["tgp_v1_"], r"\btgp_v1_[A-Za-z0-9_-]{40,}"),
    token("nvidia-key", &["nvapi-"], r"\bnvapi-[A-Za-z0-9_-]{40,}"),
    token("cerebras-key", &["csk-"], r"\bcsk-[a-z0-9]{40,}"),
    token("tavily-key", &["tvly-"], r"\btvly-(?:dev-|prod-)?[A-Za-z0-9]{20,}"),
    token("firecrawl-key", &["fc-"], r"\bfc-[a-f0-9]{32}\b"),
    token("exa-key", &["exa_"], r"\bexa_[A-Za-z0-9]{30,}"),
    token("voyage-key", &["pa-"], r"\bpa-[A-Za-z0-9_-]{43}\b").checked(check::is_mixed),
    token("jina-key", &["jina_"], r"\bjina_[A-Za-z0-9_-]{40,}"),
    token("wandb-key", &["wandb_v1_"], r"\bwandb_v1_[A-Za-z0-9_]{40,}"),
    token("elevenlabs-key", &["sk_"], r"\bsk_[a-f0-9]{48}\b"),
    token("friendli-token", &["flp_"], r"\bflp_[A-Za-z0-9]{40,}"),
    rule(
        "api-key",
        &["mistral", "cohere", "deepseek", "deepgram", "assemblyai", "stability", "elevenlabs", "wandb", "together"],
        r"(?i)(?:mistral|cohere|deepseek|deepgram|assemblyai|stability|elevenlabs|wandb|together)[^\n]{0,40}?(?:key|token)[^\n]{0,16}?\b([A-Za-z0-9]{32,64})\b",
    )
    .checked(check::is_mixed),
];
