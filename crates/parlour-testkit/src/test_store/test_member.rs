use parlour_core::{
    access::{Principal, Role},
    author::Author,
    id::MemberId,
    member::{Agent, Person},
};

/// A member that calls the store.
pub trait TestMember: Sync {
    /// The principal of the member, with all scopes.
    fn principal(&self) -> Principal;

    /// The caller's id.
    fn member(&self) -> MemberId {
        self.principal().member
    }

    /// The member as an author.
    fn author(&self) -> Author {
        self.principal().author()
    }
}

impl TestMember for Person {
    fn principal(&self) -> Principal {
        let role = if self.is_admin { Role::Admin } else { Role::Person };
        Principal::new(self.id.clone(), self.name.clone(), role)
    }
}

impl TestMember for Agent {
    fn principal(&self) -> Principal {
        let role = Role::Agent(self.project_id.clone());
        Principal::new(self.id.clone(), self.name.clone(), role)
    }
}
