//! Services without a hub, each constructed over the test ports.

use std::sync::Arc;

use parlour_adapters::{Argon2Passwords, FileBlobs, FileKeys, SqliteOptions, SqliteStore};
use parlour_core::{access::Principal, id::ProjectId, name::Name, paging::PageRequest, task::TaskStatus};
use parlour_hub::{
    Ports,
    ports::NoIssuers,
    services::{AccountService, AuditLog, Infrastructure, PresenceService, TaskService},
    use_cases::{NewPerson, NewTask},
};
use parlour_testkit::{CountingIds, ManualClock};
use tempfile::TempDir;

const ADMIN_TOKEN: &str = "an administrator's token";

/// An account service over a store with an administrator and the sample project.
struct AccountFixture {
    accounts: AccountService,
    parts: Infrastructure,
    admin: Principal,
    project: ProjectId,
    _folder: TempDir,
}

impl AccountFixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let parts = Infrastructure::new(Ports {
            store: Arc::new(SqliteStore::open(folder.path(), SqliteOptions::default()).expect("store")),
            blobs: Arc::new(FileBlobs::open(folder.path()).expect("blobs")),
            clock: Arc::new(ManualClock::new()),
            ids: Arc::new(CountingIds::new()),
            keys: Arc::new(FileKeys::open(folder.path()).expect("keys")),
            issuers: Arc::new(NoIssuers),
            passwords: Arc::new(Argon2Passwords::default()),
        });
        let (presence, audit) = (Arc::new(PresenceService::new(&parts)), Arc::new(AuditLog::new(&parts)));
        let accounts = AccountService::new(&parts, &presence, &audit, &Arc::default());
        let started = accounts.first_start(Some(ADMIN_TOKEN)).await.expect("first start");
        let admin = accounts.sign_in(ADMIN_TOKEN).await.expect("the administrator");
        let project = started.sample.expect("a sample project").id;
        Self { accounts, parts, admin, project, _folder: folder }
    }
}

#[tokio::test]
async fn accounts_authenticate_a_person_until_its_token_is_replaced() {
    let AccountFixture { accounts, admin, _folder, .. } = AccountFixture::new().await;
    let request = NewPerson { name: Name::parse("Mara").expect("a name"), is_admin: false };
    let (mara, token) = accounts.create_person(&admin, request).await.expect("created");
    assert_eq!(accounts.sign_in(&token).await.expect("signed in").member, mara.id.clone().into());
    let renewed = accounts.renew_person_token(&admin, &mara.id).await.expect("renewed");
    accounts.sign_in(&token).await.expect_err("the old token was revoked");
    assert_eq!(accounts.sign_in(&renewed).await.expect("signed in").member, mara.id.into());
}

#[tokio::test]
async fn tasks_are_created_and_listed_in_the_sample_project() {
    let AccountFixture { parts, admin, project, _folder, .. } = AccountFixture::new().await;
    let tasks = TaskService::new(&parts);
    let request = NewTask {
        project_id: project.clone(),
        title: "Water the plants".into(),
        description: None,
        status: TaskStatus::default(),
        assignee: None,
        parent_id: None,
        batch_id: None,
        thread_id: None,
    };
    let created = tasks.create_task(&admin, request).await.expect("created");
    assert_eq!(tasks.tasks(&admin, &project, &PageRequest::first()).await.expect("listed").items, [created]);
}
