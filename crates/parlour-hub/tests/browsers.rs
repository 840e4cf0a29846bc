//! Sign-in of people in browsers: passwords, links, sessions and their ends.

mod support;

#[path = "browsers/links.rs"]
mod links;
#[path = "browsers/passwords.rs"]
mod passwords;
#[path = "browsers/setting.rs"]
mod setting;

use parlour_core::{Code, access::Principal, attribution::Surface, audit::AuditFilter, paging::PageRequest};
use parlour_hub::{Failure, use_cases::SignedIn};
use support::{TestHub, person_id};

const GOOD: &str = "correct horse";

/// A hub with the person Mara, who has a password.
struct BrowserFixture {
    test: TestHub,
    mara: Principal,
}

impl BrowserFixture {
    async fn new() -> Self {
        let test = TestHub::new().await;
        let mara = test.person("Mara").await;
        let fixture = Self { test, mara };
        fixture.set(&fixture.mara, None, GOOD).await.expect("set");
        fixture
    }

    /// Sets the password of Mara.
    async fn set(&self, caller: &Principal, current: Option<&str>, password: &str) -> Result<(), Failure> {
        let current = current.map(str::to_owned);
        self.test.hub.set_password(caller, &person_id(&self.mara), current, password.to_owned()).await
    }

    async fn sign_in(&self, called: &str, password: &str) -> Result<SignedIn, Failure> {
        self.test.hub.sign_in_with_password(called, password.to_owned(), Surface::Http).await
    }

    /// The newest entry of the audit log: action, subject and result.
    async fn last_audit_entry(&self) -> (String, Option<String>, String) {
        let page = PageRequest::new(None, Some(1)).expect("page");
        let found = self.test.hub.audit(&self.test.admin, &AuditFilter::default(), &page).await.expect("audit");
        let entry = found.items.into_iter().next().expect("an entry");
        (entry.action, entry.subject, entry.result)
    }
}

fn code_of(code: Code) -> String {
    code.as_str().to_owned()
}
