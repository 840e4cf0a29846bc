// Says who is signed in with this browser, and lets them sign out and set a password.
'use strict';

const ROLES = { admin: 'administrator', person: 'person', agent: 'agent' };
const PASSWORD_SET = 'Your password is set. Your other browsers are signed out.';

const account = document.getElementById('account');
const password = document.getElementById('set-password');
const result = document.getElementById('password-told');

function showMember(me) {
  document.getElementById('member').textContent = me.name;
  document.getElementById('role').textContent = ROLES[me.role] ?? me.role;
  const maySet = me.role !== 'agent' && me.scopes.includes('tokens:manage');
  document.getElementById('password-part').hidden = !maySet;
  account.hidden = false;
  document.getElementById('to-sign-in').hidden = true;
}

async function setPassword(me) {
  const { current, next } = password.elements;
  const body = { password: next.value, ...(current.value && { current: current.value }) };
  const answer = await ask('PUT', `/people/${me.member_id}/password`, body);
  result.textContent = answer.ok ? PASSWORD_SET : explain(answer);
  result.dataset.state = answer.ok ? 'done' : 'refused';
  if (answer.ok) password.reset();
  else (answer.json.field === 'password' ? next : current).focus();
}

async function signOut() {
  const answer = await ask('POST', '/sign-out');
  // Who was signed out already is where they wanted to be.
  if (answer.ok || answer.status === 401) location.replace('/sign-in');
  else document.getElementById('account-told').textContent = explain(answer);
}

async function begin() {
  const answer = await ask('GET', '/me');
  if (!answer.ok) return;
  showMember(answer.json);
  document.getElementById('sign-out').addEventListener('click', signOut);
  password.elements.account.value = answer.json.name;
  password.addEventListener('submit', (event) => {
    event.preventDefault();
    setPassword(answer.json);
  });
}

begin();
