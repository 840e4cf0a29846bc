//! Search by all words, and retrieval by some of many words for packs.

use parlour_core::{
    access::Principal, conversation::Channel, limits, paging::PageRequest, project::Project, search_query::SearchQuery,
};
use tokio::task::JoinSet;

use super::fixtures::TwoPeopleFixture;
use crate::test_store::{PostTarget, TestMember, TestStore, read_all};

/// More messages than one search call examines.
const MANY: usize = limits::SEARCH_CANDIDATES_MAX + 100;

/// The texts of all hits, read in pages of this size.
async fn search(
    test_store: &TestStore,
    project: &Project,
    caller: &Principal,
    text: &str,
    limit: usize,
) -> Vec<String> {
    let query = SearchQuery::parse(text).expect("a query");
    let read = async |page: PageRequest| test_store.store().search(&project.id, caller, &query, &page).await;
    read_all(limit, read).await.into_iter().map(|message| message.body).collect()
}

/// Posts these texts and checks the hits of each query.
async fn check_found(test_store: &TestStore, bodies: &[&str], cases: &[(&str, &[&str])]) {
    let fixture = TwoPeopleFixture::new(test_store).await;
    for body in bodies {
        test_store.post(&fixture.mara, &fixture.general, body).await;
    }
    for (text, expected) in cases {
        let found = search(test_store, &fixture.tour, &fixture.mara.principal(), text, 50).await;
        assert_eq!(found, *expected, "{text}");
    }
}

/// Order and case of the words do not matter.
pub async fn a_hit_contains_all_words(test_store: TestStore) {
    let bodies = ["Deploy the server", "the SERVER is down, deploy later", "deploy nothing"];
    let both: &[&str] = &["the SERVER is down, deploy later", "Deploy the server"];
    let cases: &[(&str, &[&str])] =
        &[("server deploy", both), ("SERVER", both), ("nothing server", &[]), ("serv", &[]), ("unheard", &[])];
    check_found(&test_store, &bodies, cases).await;
}

pub async fn a_star_matches_prefixes(test_store: TestStore) {
    let bodies = ["deployment done", "deploy now", "redeploy"];
    let cases: &[(&str, &[&str])] =
        &[("deplo*", &["deploy now", "deployment done"]), ("deplo* done", &["deployment done"]), ("ploy*", &[])];
    check_found(&test_store, &bodies, cases).await;
}

pub async fn a_phrase_matches_adjacent_words(test_store: TestStore) {
    let bodies = ["big red dog", "red big dog", "a Big   Red house"];
    let cases: &[(&str, &[&str])] =
        &[("\"big red\"", &["a Big   Red house", "big red dog"]), ("\"big red\" dog", &["big red dog"])];
    check_found(&test_store, &bodies, cases).await;
}

/// Operators of a query language are searched as words.
pub async fn operators_are_plain_words(test_store: TestStore) {
    let bodies = ["cats AND dogs", "cats", "NOT near", "body text (x) -y"];
    let cases: &[(&str, &[&str])] = &[
        ("cats AND dogs", &["cats AND dogs"]),
        ("cats OR", &[]),
        ("NOT", &["NOT near"]),
        ("body:text", &["body text (x) -y"]),
        ("-y", &["body text (x) -y"]),
        ("'; x", &["body text (x) -y"]),
    ];
    check_found(&test_store, &bodies, cases).await;
}

/// Scripts without spaces: every part of a run is a hit, and only runs that contain the whole part.
pub async fn parts_of_unspaced_runs_are_found(test_store: TestStore) {
    let bodies = ["请检查服务器日志", "服务和日志器", "これは日本語です", "서버가 내려갔다"];
    let cases: &[(&str, &[&str])] = &[
        ("服务器", &["请检查服务器日志"]),
        ("日志", &["服务和日志器", "请检查服务器日志"]),
        ("志", &["服务和日志器", "请检查服务器日志"]),
        ("语", &[]),
        ("日本", &["これは日本語です"]),
        ("서버", &["서버가 내려갔다"]),
    ];
    check_found(&test_store, &bodies, cases).await;
}

pub async fn words_of_every_script_are_found(test_store: TestStore) {
    let bodies = ["Ärger im Büro", "привет мир", "日本語 テスト"];
    let cases: &[(&str, &[&str])] =
        &[("büro", &["Ärger im Büro"]), ("Привет", &["привет мир"]), ("日本語", &["日本語 テスト"])];
    check_found(&test_store, &bodies, cases).await;
}

pub async fn hits_are_listed_newest_first_and_once(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let random = test_store.channel("random", &fixture.tour).await;
    let mut expected = Vec::new();
    for number in 0..12 {
        let target = if number % 3 == 0 { &random } else { &fixture.general };
        let body = if number % 4 == 0 { format!("noise {number}") } else { format!("signal {number}") };
        test_store.post(&fixture.mara, target, &body).await;
        expected.extend((number % 4 != 0).then_some(body));
    }
    expected.reverse();
    for limit in [1, 2, 3, 8, 9, 10, 50] {
        let found = search(&test_store, &fixture.tour, &fixture.mara.principal(), "signal", limit).await;
        assert_eq!(found, expected, "pages of {limit}");
    }
}

/// A search over more messages than one call examines reaches its end, also if many of them are hidden.
pub async fn a_search_reaches_its_end_past_many_hidden_messages(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let secret = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara]).await;
    test_store.post(&fixture.mara, &fixture.general, "needle below").await;
    let mut posts = JoinSet::new();
    for number in 0..MANY {
        let (test_store, mara, secret) = (test_store.clone(), fixture.mara.clone(), secret.clone());
        posts.spawn(async move { test_store.post(&mara, &secret, &format!("needle {number}")).await.seq });
    }
    assert_eq!(posts.join_all().await.len(), MANY);
    test_store.post(&fixture.mara, &fixture.general, "needle above").await;
    let found = search(&test_store, &fixture.tour, &fixture.bela.principal(), "needle", 50).await;
    assert_eq!(found, ["needle above", "needle below"]);
    assert_eq!(search(&test_store, &fixture.tour, &fixture.mara.principal(), "needle", 200).await.len(), MANY + 2);
}

/// Messages of private channels, their threads and DMs are found only by members who can read them.
pub async fn private_messages_are_found_by_their_readers_only(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let (root, outsider) = (test_store.admin("Root").await, test_store.person("Olaf").await);
    let secret = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara]).await;
    let above = test_store.post(&fixture.mara, &secret, "whisper channel").await;
    let thread = test_store.thread(&secret, &above).await;
    let dm = test_store.dm(&fixture.tour, &[&fixture.mara, &fixture.coder]).await;
    test_store.post(&fixture.mara, &thread, "whisper thread").await;
    test_store.post(&fixture.mara, &dm, "whisper dm").await;
    test_store.post(&fixture.mara, &fixture.general, "whisper aloud").await;
    let all = ["whisper aloud", "whisper dm", "whisper thread", "whisper channel"];
    for (caller, expected) in [
        (&fixture.mara as &dyn TestMember, &all[..]),
        (&fixture.coder, &["whisper aloud", "whisper dm"]),
        (&fixture.bela, &["whisper aloud"]),
        (&root, &["whisper aloud"]),
        (&outsider, &[]),
    ] {
        let found = search(&test_store, &fixture.tour, &caller.principal(), "whisper", 2).await;
        assert_eq!(found, expected, "{}", caller.principal().name);
    }
}

/// There is a next page only if there is another visible hit.
pub async fn hidden_messages_produce_no_next_page(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let secret = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara]).await;
    test_store.post(&fixture.mara, &secret, "payroll hidden").await;
    test_store.post(&fixture.mara, &fixture.general, "payroll shown").await;
    let query = SearchQuery::parse("payroll").expect("a query");
    let one = PageRequest::new(None, Some(1)).expect("a page");
    for (caller, has_next) in [(&fixture.mara, true), (&fixture.bela, false)] {
        let page =
            test_store.store().search(&fixture.tour.id, &caller.principal(), &query, &one).await.expect("a page");
        assert_eq!((page.items.len(), page.next.is_some()), (1, has_next), "{}", caller.name);
    }
}

pub async fn a_search_stays_within_its_project(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let fair = test_store.project("Fair", &fixture.mara).await;
    let hall = test_store.channel("hall", &fair).await;
    test_store.post(&fixture.mara, &hall, "needle there").await;
    test_store.post(&fixture.mara, &fixture.general, "needle here").await;
    assert_eq!(search(&test_store, &fixture.tour, &fixture.mara.principal(), "needle", 9).await, ["needle here"]);
    assert_eq!(search(&test_store, &fair, &fixture.mara.principal(), "needle", 9).await, ["needle there"]);
}

pub async fn an_edited_message_is_found_by_its_new_text(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let message = test_store.post(&fixture.mara, &fixture.general, "old words").await;
    test_store.edit(&fixture.mara, &message, "new words").await;
    let caller = fixture.mara.principal();
    assert_eq!(search(&test_store, &fixture.tour, &caller, "old", 9).await, Vec::<String>::new());
    assert_eq!(search(&test_store, &fixture.tour, &caller, "new words", 9).await, ["new words"]);
}

/// A removed message is found neither by its first nor by its edited text.
pub async fn a_removed_message_is_never_found(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let message = test_store.post(&fixture.mara, &fixture.general, "secret plan").await;
    let message = test_store.edit(&fixture.mara, &message, "secret scheme").await;
    test_store.remove(&fixture.mara, &message).await;
    for text in ["secret", "plan", "scheme", "s*"] {
        assert_eq!(
            search(&test_store, &fixture.tour, &fixture.mara.principal(), text, 9).await,
            Vec::<String>::new(),
            "{text}"
        );
    }
    assert_eq!(test_store.history(&fixture.general.conversation_id()).await.len(), 1);
}

pub async fn a_hit_contains_the_current_message(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let message = test_store.post(&fixture.mara, &fixture.general, "needle").await;
    test_store.thread(&fixture.general, &message).await;
    let query = SearchQuery::parse("needle").expect("a query");
    let page = PageRequest::first();
    let found =
        test_store.store().search(&fixture.tour.id, &fixture.mara.principal(), &query, &page).await.expect("found");
    let now = test_store.store().message(&message.id).await.expect("read").expect("a message");
    assert!(now.thread_id.is_some());
    assert_eq!(found.items, [now]);
}

async fn find_any_limited(
    test_store: &TestStore,
    fixture: &TwoPeopleFixture,
    caller: &Principal,
    words: &[&str],
    limit: usize,
) -> Vec<String> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let found = test_store
        .store()
        .find_any(&fixture.tour.id, std::slice::from_ref(caller), &words, limit)
        .await
        .expect("found");
    found.into_iter().map(|message| message.body).collect()
}

async fn find_any(test_store: &TestStore, fixture: &TwoPeopleFixture, words: &[&str]) -> Vec<String> {
    find_any_limited(test_store, fixture, &fixture.mara.principal(), words, 100).await
}

/// Posts this many messages concurrently.
async fn post_many(test_store: &TestStore, fixture: &TwoPeopleFixture, target: &Channel, count: usize, word: &str) {
    let mut posts = JoinSet::new();
    for number in 0..count {
        let (test_store, mara, target, body) =
            (test_store.clone(), fixture.mara.clone(), target.clone(), format!("{word} number{number}"));
        posts.spawn(async move { test_store.post(&mara, &target, &body).await.seq });
    }
    assert_eq!(posts.join_all().await.len(), count);
}

/// A message with any of the words is found once, newest first; words are compared like in a search.
pub async fn a_message_with_any_of_the_words_is_found(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    for body in ["Ärger im BÜRO", "a quiet day", "deploy-now"] {
        test_store.post(&fixture.mara, &fixture.general, body).await;
    }
    assert_eq!(find_any(&test_store, &fixture, &["arger", "now"]).await, ["deploy-now", "Ärger im BÜRO"]);
    assert_eq!(find_any(&test_store, &fixture, &["Büro deploy", "büro"]).await, ["deploy-now", "Ärger im BÜRO"]);
    assert_eq!(find_any(&test_store, &fixture, &["dep", "\"", "*", "", "NEAR("]).await, Vec::<String>::new());
    assert_eq!(find_any(&test_store, &fixture, &[]).await, Vec::<String>::new());
}

/// A word weighs more the fewer messages contain it.
pub async fn rare_words_weigh_most(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    for body in ["rare one", "common one", "common two", "common three"] {
        test_store.post(&fixture.mara, &fixture.general, body).await;
    }
    let found = find_any(&test_store, &fixture, &["common", "rare"]).await;
    assert_eq!(found, ["rare one", "common three", "common two", "common one"]);
}

/// A word that is requested twice counts once.
pub async fn weights_of_words_add_up(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    for body in ["red green", "red", "blue", "green", "blue red green"] {
        test_store.post(&fixture.mara, &fixture.general, body).await;
    }
    let found = find_any(&test_store, &fixture, &["red", "green", "RED", "red"]).await;
    assert_eq!(found, ["blue red green", "red green", "green", "red"]);
}

pub async fn the_best_messages_up_to_the_limit_are_found(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    for body in ["rare", "common 1", "common 2", "common 3"] {
        test_store.post(&fixture.mara, &fixture.general, body).await;
    }
    let mara = fixture.mara.principal();
    assert_eq!(find_any_limited(&test_store, &fixture, &mara, &["common", "rare"], 2).await, ["rare", "common 3"]);
    assert_eq!(find_any_limited(&test_store, &fixture, &mara, &["common", "rare"], 0).await, Vec::<String>::new());
}

pub async fn a_common_word_is_searched_in_the_newest_messages(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    test_store.post(&fixture.mara, &fixture.general, "word oldest").await;
    post_many(&test_store, &fixture, &fixture.general, limits::FIND_PER_WORD_MAX, "word").await;
    let mara = fixture.mara.principal();
    let found = find_any_limited(&test_store, &fixture, &mara, &["word"], usize::MAX).await;
    assert_eq!(found.len(), limits::FIND_PER_WORD_MAX);
    assert!(!found.contains(&"word oldest".to_owned()));
    assert_eq!(find_any(&test_store, &fixture, &["oldest"]).await, ["word oldest"]);
}

pub async fn only_the_first_words_are_searched(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    test_store.post(&fixture.mara, &fixture.general, "needle").await;
    let hay: Vec<String> = (1..limits::FIND_WORDS_MAX).map(|number| format!("hay{number}")).collect();
    let mut words: Vec<&str> = hay.iter().map(String::as_str).collect();
    words.push("needle");
    assert_eq!(find_any(&test_store, &fixture, &words).await, ["needle"]);
    words.insert(0, "more");
    assert_eq!(find_any(&test_store, &fixture, &words).await, Vec::<String>::new());
}

/// A private message is found only by members who can read it.
pub async fn private_words_are_found_by_their_readers_only(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let (root, outsider) = (test_store.admin("Root").await, test_store.person("Olaf").await);
    let secret = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara]).await;
    let above = test_store.post(&fixture.mara, &secret, "whisper channel").await;
    let thread = test_store.thread(&secret, &above).await;
    test_store.post(&fixture.mara, &thread, "whisper thread").await;
    test_store.post(&fixture.mara, &fixture.general, "whisper aloud").await;
    let all = ["whisper aloud", "whisper thread", "whisper channel"];
    for (caller, expected) in
        [(&fixture.mara, &all[..]), (&fixture.bela, &all[..1]), (&root, &all[..1]), (&outsider, &[] as &[&str])]
    {
        let found = find_any_limited(&test_store, &fixture, &caller.principal(), &["whisper"], 9).await;
        assert_eq!(found, expected, "{}", caller.name);
    }
}

/// Hidden messages do not change the weight of a word, and do not displace readable messages.
pub async fn hidden_messages_do_not_change_the_result(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let secret = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara]).await;
    for body in ["alpha one", "beta one", "beta two"] {
        test_store.post(&fixture.mara, &fixture.general, body).await;
    }
    let bela = fixture.bela.principal();
    let before = find_any_limited(&test_store, &fixture, &bela, &["alpha", "beta"], 9).await;
    assert_eq!(before, ["alpha one", "beta two", "beta one"]);
    post_many(&test_store, &fixture, &secret, limits::FIND_PER_WORD_MAX + 50, "alpha").await;
    assert_eq!(find_any_limited(&test_store, &fixture, &bela, &["alpha", "beta"], 9).await, before);
    let mara = find_any(&test_store, &fixture, &["alpha", "beta"]).await;
    assert_eq!(mara[..2], ["beta two", "beta one"]);
}

/// More hidden messages with a word than one call examines change neither the result nor the weight of the word.
pub async fn very_many_hidden_messages_displace_no_readable_ones(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let secret = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara]).await;
    let above = test_store.post(&fixture.mara, &fixture.general, "alpha one").await;
    let thread = test_store.thread(&fixture.general, &above).await;
    for body in ["alpha in a thread", "beta"] {
        test_store.post(&fixture.mara, &thread, body).await;
    }
    let bela = fixture.bela.principal();
    let before = find_any_limited(&test_store, &fixture, &bela, &["alpha", "beta"], 9).await;
    assert_eq!(before, ["beta", "alpha in a thread", "alpha one"]);
    post_many(&test_store, &fixture, &secret, limits::FIND_CANDIDATES_MAX + 5, "alpha").await;
    assert_eq!(find_any_limited(&test_store, &fixture, &bela, &["alpha", "beta"], 9).await, before);
    let edited = test_store.edit(&fixture.mara, &above, "alpha again").await;
    assert!(find_any_limited(&test_store, &fixture, &bela, &["alpha"], 9).await.contains(&edited.body));
}

/// An edited message is found by its new words only.
pub async fn a_removed_message_is_found_by_none_of_its_words(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let removed = test_store.post(&fixture.mara, &fixture.general, "secret plan").await;
    let edited = test_store.post(&fixture.mara, &fixture.general, "old words").await;
    test_store.remove(&fixture.mara, &removed).await;
    test_store.edit(&fixture.mara, &edited, "new words").await;
    assert_eq!(find_any(&test_store, &fixture, &["secret", "plan", "old"]).await, Vec::<String>::new());
    assert_eq!(find_any(&test_store, &fixture, &["new"]).await, ["new words"]);
}

pub async fn retrieval_stays_within_its_project(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let fair = test_store.project("Fair", &fixture.mara).await;
    let hall = test_store.channel("hall", &fair).await;
    test_store.post(&fixture.mara, &hall, "needle there").await;
    for body in ["needle here", "thread one", "thread two"] {
        test_store.post(&fixture.mara, &fixture.general, body).await;
    }
    let expected = ["needle here", "thread two", "thread one"];
    assert_eq!(find_any(&test_store, &fixture, &["needle", "thread"]).await, expected);
    post_many(&test_store, &fixture, &hall, 2 * limits::FIND_PER_WORD_MAX, "needle").await;
    assert_eq!(
        find_any(&test_store, &fixture, &["needle", "thread"]).await,
        expected,
        "common elsewhere, and rare here"
    );
}
