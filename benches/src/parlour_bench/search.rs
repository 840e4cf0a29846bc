//! `parlour-bench search`: the newest hits for words of every frequency, compared with a rare word.

use anyhow::Result;
use clap::Args;

use super::{
    Setup,
    environment::{Environment, PreparedHub},
    figures,
    load::{Extent, Round, Script},
    report::{Column, Goal, Ratio, Report, Row},
    request, sample_texts,
};

/// Hits on the page.
const HITS: usize = 20;
/// Searches per query and round.
const SEARCHES: usize = 100;

#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  parlour-bench search --messages 1000000 --keep ~/parlour-stores")]
pub(crate) struct Searches {
    /// Messages in the store
    #[arg(long, value_name = "COUNT", default_value_t = 100_000,
          value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    messages: u32,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// A query and its measured rounds.
struct Question {
    name: &'static str,
    text: String,
    rounds: Vec<Round>,
}

impl Searches {
    /// Runs all queries in turn.
    pub(super) async fn measure(&self, environment: &Environment) -> Result<Report> {
        let hub = environment.filled_hub(self.messages as usize).await?;
        let mut questions = questions();
        for question in &mut questions {
            question.ask(&hub).await?;
            question.rounds.clear();
        }
        for _ in 0..self.setup.rounds() {
            for question in &mut questions {
                question.ask(&hub).await?;
            }
        }
        Ok(report(self.messages, &questions))
    }
}

/// The rare word comes first: the others are compared with it.
fn questions() -> Vec<Question> {
    let (usual, middle, (rare, other)) =
        (sample_texts::usual_word(), sample_texts::middle_word(), sample_texts::rare_words());
    let texts = [
        ("rare word", rare.to_owned()),
        ("middle word", middle.to_owned()),
        ("usual word", usual.to_owned()),
        ("usual and rare word", format!("{usual} {rare}")),
        ("usual and middle word", format!("{usual} {middle}")),
        ("two rare words", format!("{rare} {other}")),
        ("word that is nowhere", "zyxwvut".to_owned()),
    ];
    texts.map(|(name, text)| Question { name, text, rounds: Vec::new() }).into()
}

impl Question {
    async fn ask(&mut self, hub: &PreparedHub) -> Result<()> {
        let round = hub.server.measure(&mut vec![self.script(hub)], Extent::count(SEARCHES)).await?;
        self.rounds.push(round);
        Ok(())
    }

    fn script(&self, hub: &PreparedHub) -> Script {
        // Queries are plain words; only the space between two words has to be encoded.
        let text = self.text.replace(' ', "+");
        let path = format!("/search?project_id={}&q={text}&limit={HITS}", hub.fixture.project_id);
        let token = hub.fixture.called.token.clone();
        Box::new(move |out| request::write_get(out, &path, Some(&token)))
    }
}

fn report(messages: u32, questions: &[Question]) -> Report {
    let mut report = Report { title: format!("Newest {HITS} hits among {messages} messages"), ..Report::default() };
    report.columns = vec![
        Column { key: "p50_ms", title: "p50 ms", decimals: 2 },
        Column { key: "p99_ms", title: "p99 ms", decimals: 2 },
        Column { key: "cpu_us", title: "CPU µs each", decimals: 1 },
    ];
    for question in questions {
        let all = Round::join(&question.rounds);
        let values = vec![all.latency_millis(0.5), all.latency_millis(0.99), all.cpu_micros()];
        report.rows.push(Row { name: question.name.into(), values });
    }
    let p99 = |round: &Round| round.latency_millis(0.99);
    let Some((rare, others)) = questions.split_first() else { return report };
    for question in others {
        // The goal applies to single words; queries with several words have none.
        let goal = (!question.text.contains(' ')).then_some(Goal::AtMost(3.0));
        let pairs = question.rounds.iter().zip(&rare.rounds);
        let rounds = pairs.filter_map(|(one, rare)| figures::quotient(p99(one), p99(rare))).collect();
        report.ratios.push(Ratio::times(format!("p99, {} ÷ rare word", question.name), rounds, goal));
    }
    report
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_search_is_compared_with_the_rare_word() {
        let mut questions = questions();
        for (millis, question) in (1..).zip(&mut questions) {
            question.rounds.push(Round { latencies: vec![Duration::from_millis(millis)], ..Round::default() });
        }
        let report = report(9, &questions).to_json();
        assert_eq!(report["rows"][0]["name"], "rare word");
        let ratios: Vec<_> = report["ratios"].as_array().expect("ratios").iter().map(|ratio| &ratio["value"]).collect();
        assert_eq!(ratios, [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    }

    #[test]
    fn only_single_words_have_a_goal() {
        let report = report(9, &questions()).to_json();
        let ratios = report["ratios"].as_array().expect("ratios");
        let with_goal = ratios.iter().filter(|ratio| !ratio["goal"].is_null()).count();
        assert_eq!(with_goal, 3, "middle, usual and unknown word");
    }
}
