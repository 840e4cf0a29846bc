use proptest::prelude::*;

use super::*;

const NAMES: &[&str] = &["claude-sonnet-4-5", "gemini-2.5-flash", "qwen3-32b", "mistral-large", "whatever-9"];

fn name_of(model: &str) -> String {
    Tokenizer::for_model(model).counting().encoding
}

/// What two tables that are not `o200k` make of a text: a smaller one, and one that takes each digit alone.
fn others(text: &str) -> u64 {
    bpe_openai::cl100k_base().count(text).max(bpe_openai::voyage3_base().count(text)) as u64
}

#[test]
fn models_of_openai_are_counted_by_their_own_tables() {
    for model in [
        "gpt-4o",
        "gpt-4o-mini-2024-07-18",
        "GPT-4.1-nano",
        "gpt-5",
        "gpt-5.1-codex",
        "o1",
        "o3-pro",
        "o4-mini",
        "chatgpt-4o-latest",
        "openai/gpt-4o",
        "openrouter/openai/gpt-5-mini:free",
        "ft:gpt-4o-mini:acme::abc",
        "gpt-oss-120b",
    ] {
        assert_eq!(name_of(model), "o200k", "{model}");
    }
    for model in ["gpt-4", "gpt-4-turbo", "gpt-4-0613", "gpt-3.5-turbo", "azure/gpt-35-turbo", "text-embedding-3-small"]
    {
        assert_eq!(name_of(model), "cl100k", "{model}");
    }
    assert!(Tokenizer::for_model("gpt-4o").counting().is_exact);
}

#[test]
fn every_other_model_is_counted_by_a_bound() {
    for model in [
        "claude-opus-4-1",
        "anthropic.claude-3-haiku",
        "gemini-2.5-pro",
        "meta-llama/Llama-3.3-70B",
        "gpt-4-x-alpaca",
        "somebody/gpt-4o-distilled",
        "gpt-45",
        "gpt-9",
        "o11",
        "opus",
        "",
        "💥",
    ] {
        let counting = Tokenizer::for_model(model).counting();
        assert_eq!((counting.encoding.as_str(), counting.is_exact), ("bound", false), "{model}");
    }
}

#[test]
fn exact_counts_equal_the_published_ones() {
    let texts = ["antidisestablishmentarianism", "2 + 2 = 4", "お誕生日おめでとう", "tiktoken is great!", ""];
    let counts = |encoding| texts.map(|text| Tokenizer::by(encoding).count(text));
    assert_eq!(counts(Encoding::O200k), [6, 7, 8, 6, 0]);
    assert_eq!(counts(Encoding::Cl100k), [6, 7, 9, 6, 0]);
}

/// Each table with the implementation of the crate `bpe-openai`.
fn tables() -> [(&'static TokenTable, &'static bpe_openai::Tokenizer); 2] {
    [(Encoding::O200k.table(), bpe_openai::o200k_base()), (Encoding::Cl100k.table(), bpe_openai::cl100k_base())]
}

#[test]
fn the_tables_contain_the_published_tokens_in_their_order() {
    for (table, published) in tables() {
        let tokens: Vec<_> = table.tokens().collect();
        assert_eq!(tokens.len(), published.bpe.num_tokens());
        for (rank, token) in tokens.iter().enumerate() {
            assert_eq!(*token, published.bpe.token_bytes(rank as u32), "{rank}");
        }
        assert_eq!(tokens.iter().map(|token| token.len()).max(), Some(TOKEN_BYTES_MAX));
    }
}

#[test]
fn long_runs_and_blanks_are_counted_like_the_published_implementation() {
    let runs =
        ["a", "ab", "the", " ", "  x", "\t\t(", "\n \n", "\r\n", "\u{a0}", "\u{3000}中", "'s", "'S", "1", "/", "🙂"];
    for (table, published) in tables() {
        for text in runs.map(|run| run.repeat(3_000)) {
            assert_eq!(
                table.count(&text),
                published.count(text.as_str()),
                "{:?}",
                text.chars().take(6).collect::<String>()
            );
        }
    }
}

#[test]
fn bounds_hold_for_prose_code_and_ids_without_doubling_prose() {
    let prose = "Mara asked whether the release could go out on Thursday, since the migration had already been rehearsed \
                 twice. Jon didn't object; he'd only like the checklist to be read aloud once more, by somebody else.";
    let code = "fn main() {\n    let total: u64 = (1..=1_000_000).filter(|n| n % 3 == 0).sum();\n}\n";
    let ids = "msg_01M7GNNDSEETW8PXQ150QCA526 3f2a9c0de1b84477 0xDEADBEEF 192.168.10.244";
    let mixed = "Größenänderung für Çağla: 変更しました ✅ — прекрасно, ठीक है";
    for model in NAMES {
        let tokenizer = Tokenizer::for_model(model);
        for text in [prose, code, ids, mixed] {
            assert!(tokenizer.count(text) >= others(text), "{model}: {text}");
        }
        assert!(tokenizer.count(prose) <= 2 * others(prose), "{model}");
    }
}

#[test]
fn every_byte_of_a_hostile_text_is_counted_once() {
    let long = 1 << 17;
    for sign in ["a", " ", "\n", "A", "中", "7", "-", "\u{301}", "a\u{200d}", " \n", "'s", "\u{1f1e9}"] {
        let text = sign.repeat(long / sign.len());
        for encoding in [Encoding::O200k, Encoding::Cl100k] {
            let mut counted = 0;
            for piece in encoding.table().pieces(&text) {
                assert!(!piece.is_empty());
                counted += piece.len();
            }
            assert_eq!(counted, text.len(), "{sign:?}");
        }
        for model in NAMES {
            let tokens = Tokenizer::for_model(model).count(&text);
            assert!((text.len() / TOKEN_BYTES_MAX..=text.len() + 1).contains(&(tokens as usize)), "{sign:?} {tokens}");
        }
    }
}

#[test]
fn a_text_far_over_the_limit_is_not_counted() {
    let text = " ".repeat(TOKEN_BYTES_MAX * 10 + 1);
    assert_eq!(Tokenizer::by(Encoding::O200k).count_up_to(&text, 10), None);
    assert!(!Tokenizer::for_model("claude").fits("a b", 0));
    assert!(Tokenizer::for_model("claude").fits("", 0));
}

#[test]
fn reports_tighten_a_bound_step_by_step_and_never_an_exact_count() {
    let text = "the answer is in the other document, as we agreed ".repeat(100);
    let mut observed = UsageObservations::default();
    let count = |observed: &UsageObservations, model| observed.tokenizer(model).count(&text);
    let (plain, reported) = (count(&observed, "claude-sonnet"), 1_150);
    let mut last = plain;
    for _ in 0..30 {
        observed.observe("Claude-Sonnet ", plain, reported);
        let now = count(&observed, "claude-sonnet");
        assert!(now <= last && now >= reported, "{last} {now}");
        last = now;
    }
    assert!(last < plain * 9 / 10 && last >= reported * 105 / 100, "{plain} {last}");
    assert_eq!(count(&observed, "claude-opus"), plain, "another model");
    observed.observe("gpt-4o", 1_000, 300);
    assert_eq!(observed.tokenizer("gpt-4o"), Tokenizer::for_model("gpt-4o"));
    let learned = UsageBias { worst_per_mille: 1, tokens: u64::MAX };
    assert_eq!(Tokenizer::for_model("gpt-4").with_bias(learned), Tokenizer::for_model("gpt-4"));
}

#[test]
fn a_report_of_a_much_larger_request_changes_nothing() {
    let text = "words that somebody else counts differently ".repeat(100);
    let plain = Tokenizer::for_model("new-model").count(&text);
    let mut observed = UsageObservations::default();
    observed.observe("new-model", plain, plain * 20);
    assert_eq!(observed.tokenizer("new-model").count(&text), plain);
    // What was seen once is never gone below, whatever is reported later.
    for _ in 0..100 {
        observed.observe("new-model", plain, 300);
    }
    assert_eq!(observed.tokenizer("new-model").count(&text), plain);
}

#[test]
fn tiny_reports_are_ignored_and_the_number_of_models_is_bounded() {
    let mut observed = UsageObservations::default();
    for (counted, reported) in [(5, 1), (0, 0), (1_000, 0)] {
        observed.observe("new-model", counted, reported);
    }
    observed.observe(&"x".repeat(10_000), 1_000, 500);
    assert_eq!(observed, UsageObservations::default());
    for number in 0..UsageObservations::MODELS_MAX * 2 {
        observed.observe(&format!("model-{number}"), 1_000, 500);
    }
    observed.observe("model-0", 1_000, 900);
    let kept: serde_json::Value = serde_json::to_value(&observed).expect("plain");
    assert_eq!(kept.as_object().map(serde_json::Map::len), Some(UsageObservations::MODELS_MAX));
    assert_eq!(kept["model-0"]["worst_per_mille"], 900, "known models still learn");
}

#[test]
fn the_learned_bias_is_stored_as_plain_numbers() {
    let learned = UsageBias::default().with(1_000, 600);
    let kept = serde_json::to_string(&learned).expect("plain");
    assert_eq!(kept, r#"{"worst_per_mille":600,"tokens":600}"#);
    assert_eq!(serde_json::from_str::<UsageBias>(&kept).expect("plain"), learned);
}

proptest! {
    #[test]
    fn exact_counts_equal_those_of_the_published_implementation(
        text in "(\\PC{0,20}|[a-z ]{0,40}|[A-Za-z0-9+/_-]{0,40}|[ \t\r\n\u{a0}x'(sS1]{0,12}){0,8}",
    ) {
        for (table, published) in tables() {
            let pieces: Vec<_> = table.pieces(&text).collect();
            prop_assert_eq!(&pieces, &published.split(&text).collect::<Vec<_>>());
            prop_assert_eq!(table.count(&text), published.count(text.as_str()));
        }
    }

    #[test]
    fn a_bound_is_never_below_other_tables_nor_above_its_bytes(text in "(\\PC{0,30}|[a-z ]{0,60}|[A-Za-z0-9+/_-]{0,60}){0,6}") {
        let unknown = Tokenizer::for_model("whatever-9").count(&text);
        let table = Tokenizer::by(Encoding::O200k).count(&text);
        prop_assert!(unknown >= others(&text));
        for model in NAMES {
            let tokens = Tokenizer::for_model(model).count(&text);
            prop_assert!(table <= tokens && tokens <= unknown && tokens <= text.len() as u64 + 1, "{}", model);
        }
    }

    #[test]
    fn counting_with_a_limit_equals_counting(text in "\\PC{0,200}", tokens_max in 0u64..150) {
        for model in ["gpt-4o", "gpt-4", "claude"] {
            let tokenizer = Tokenizer::for_model(model);
            let tokens = tokenizer.count(&text);
            prop_assert_eq!(tokenizer.count_up_to(&text, tokens_max), Some(tokens).filter(|tokens| *tokens <= tokens_max));
        }
    }

    #[test]
    fn a_bound_stays_between_the_reported_and_the_plain_count(
        reports in proptest::collection::vec((0usize..4, 1u64..6_000), 1..12),
    ) {
        let texts = ["plain words of the day ".repeat(60), "0123456789".repeat(80), "für Größe ".repeat(90), "{};\n".repeat(200)];
        let mut observed = UsageObservations::default();
        let plain = Tokenizer::for_model("claude");
        let mut seen: Vec<(&String, u64)> = Vec::new();
        for (index, reported) in reports {
            let text = &texts[index];
            observed.observe("claude", plain.count(text), reported);
            seen.push((text, reported));
            for (text, reported) in &seen {
                let tokens = observed.tokenizer("claude").count(text);
                prop_assert!(tokens >= (*reported).min(plain.count(text)) && tokens <= plain.count(text));
                prop_assert!(tokens >= Tokenizer::by(Encoding::O200k).count(text));
            }
        }
    }
}
