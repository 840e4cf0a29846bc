//! Providers of models, as the hub would use them. Nobody is asked over the net.

use parlour_agent::{TlsOptions, engines::models::ModelClient};

use super::check::Check;
use crate::{
    hosting::{Provider, Rerankers},
    settings::{ProviderSettings, RerankerSettings},
};

/// Whether every provider that is set up has its key.
pub(super) fn check_providers(settings: &[ProviderSettings]) -> Check {
    if settings.is_empty() {
        return Check::note("providers", "none is set up; agents that the hub runs can be built-in (docs/agents.md)");
    }
    let client = match ModelClient::new(&TlsOptions::default()) {
        Ok(client) => client,
        Err(error) => return Check::bad("providers", error.to_string()),
    };
    let opened: Result<Vec<_>, _> = settings.iter().map(|one| Provider::open(one, &client)).collect();
    match opened {
        Err(reason) => Check::bad("providers", reason),
        Ok(providers) => match providers.iter().find_map(|provider| provider.weakness.as_ref()) {
            Some(weakness) => Check::warning("providers", weakness),
            None => Check::good("providers", providers.iter().map(Provider::about).collect::<Vec<_>>().join(", ")),
        },
    }
}

/// Whether every reranker that is set up has its key; nothing where none is.
pub(super) fn check_rerankers(settings: &[RerankerSettings]) -> Option<Check> {
    if settings.is_empty() {
        return None;
    }
    Some(match Rerankers::try_open(settings) {
        Err(reason) => Check::bad("rerankers", reason),
        Ok(rerankers) => match rerankers.weakness() {
            Some(weakness) => Check::warning("rerankers", weakness),
            None => Check::good("rerankers", rerankers.about()),
        },
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

    use parlour_agent::engines::models::{Interface, Secret};

    use super::*;
    use crate::{commands::doctor::check::Verdict, settings::KeyPlace};

    fn check(key: KeyPlace) -> Check {
        let (name, interface) = ("work".to_owned(), Interface::Gemini);
        check_providers(&[ProviderSettings { name, interface, base_url: None, model: Some("small".into()), key }])
    }

    #[test]
    fn a_reranker_is_told_without_its_key_and_is_bad_without_it() {
        let check = |key| {
            let (url, model) = ("https://rank.example/v1/rerank".to_owned(), Some("small".to_owned()));
            check_rerankers(&[RerankerSettings { name: "fast".into(), url, model, key }]).expect("a check")
        };
        let good = check(KeyPlace::Variable("K".into(), Some(Secret::new("sk-secret"))));
        assert_eq!(
            (good.verdict, good.detail.as_str()),
            (Verdict::Good, "fast (https://rank.example/v1/rerank, model small)")
        );
        let bad = check(KeyPlace::Variable("K".into(), None));
        assert_eq!(
            (bad.verdict, bad.detail.as_str()),
            (Verdict::Bad, "the reranker fast: its key is to be in K, which is not set")
        );
        assert!(check_rerankers(&[]).is_none());
    }

    #[test]
    fn no_provider_is_no_fault() {
        assert_eq!(check_providers(&[]).verdict, Verdict::Note);
    }

    #[test]
    fn a_provider_is_told_without_its_key() {
        let check = check(KeyPlace::Variable("K".into(), Some(Secret::new("sk-secret"))));
        assert_eq!(check.verdict, Verdict::Good);
        assert_eq!(check.detail, "work (gemini at https://generativelanguage.googleapis.com, model small)");
    }

    #[test]
    fn a_missing_key_is_bad_and_one_that_others_can_read_is_a_warning() {
        assert_eq!(check(KeyPlace::Variable("K".into(), None)).verdict, Verdict::Bad);
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), "sk-secret").expect("written");
        let verdict = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
            check(KeyPlace::File(path.into())).verdict
        };
        assert_eq!(verdict(file.path(), 0o600), Verdict::Good);
        assert_eq!(verdict(file.path(), 0o640), Verdict::Warning);
    }
}
