/** Creates a person. Administrators get a sign-in link to pass on; others read who can do it. */
import { createSignal, Match, Show, Switch } from 'solid-js';
import type { Person } from '../../api/model';
import { useStore } from '../../state/store_context';
import { createForm, refusalOutside } from '../form/FormDialog';
import { NameField } from '../form/NameField';
import { nameProblem } from '../form/name_rules';
import { RefusalText } from '../form/RefusalText';
import { SecretOnce } from '../form/SecretOnce';

export function NewPerson(props: { people: readonly Person[] }) {
  const store = useStore();
  const isAdmin = () => {
    const session = store.session();
    return session.state === 'signed_in' && session.me.role === 'admin';
  };
  return (
    <Show when={isAdmin()} fallback={<AdministratorsHint people={props.people} />}>
      <CreatePerson />
    </Show>
  );
}

function AdministratorsHint(props: { people: readonly Person[] }) {
  const admins = () => props.people.filter((person) => person.is_admin).map((person) => person.name);
  return (
    <p class="dialog-note">
      Only administrators can add people to the hub.{' '}
      {admins().length > 0
        ? `Ask ${admins().join(' or ')}: when the person exists, you can add them to this project.`
        : ''}
    </p>
  );
}

function CreatePerson() {
  const store = useStore();
  const [name, setName] = createSignal('');
  const [invited, setInvited] = createSignal<{ person: Person; link: string }>();
  const form = createForm(async () => setInvited(await store.commands.invitePerson(name().trim())));
  return (
    <Switch>
      <Match when={invited()}>
        {(made) => (
          <div class="dialog-stack">
            <SecretOnce text={new URL(made().link, location.origin).href} copy="Copy the link">
              {made().person.name} is in the project. Send them this link. It works once, within a day.
            </SecretOnce>
            <button
              type="button"
              class="button form-act"
              onClick={() => {
                setName('');
                setInvited(undefined);
              }}
            >
              Invite another
            </button>
          </div>
        )}
      </Match>
      <Match when={!invited()}>
        <form class="dialog-form" onSubmit={form.submit} onInput={form.forget}>
          <NameField
            label="Name"
            hint="They can change it later."
            value={name()}
            onInput={setName}
            refusal={form.refusal()}
          />
          <Show when={refusalOutside(form.refusal(), ['name'])}>
            {(refusal) => <RefusalText refusal={refusal()} />}
          </Show>
          <button
            type="submit"
            class="button form-act"
            data-kind="main"
            disabled={Boolean(nameProblem(name().trim())) || form.isBusy()}
          >
            Create link
          </button>
        </form>
      </Match>
    </Switch>
  );
}
