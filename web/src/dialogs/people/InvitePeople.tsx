/** Adds people to the project: existing people at once, new people by a link that administrators create. */
import { createResource, createSignal, createUniqueId, For, Match, Show, Switch, untrack } from 'solid-js';
import type { Person } from '../../api/model';
import { type Refusal, toRefusal } from '../../api/refusal';
import { Avatar } from '../../parts/Avatar';
import { Dialog } from '../../parts/dialog/Dialog';
import { rank } from '../../parts/field/rank_match';
import { TabList, TabPanel } from '../../parts/Tabs';
import { usePersonColour } from '../../state/person_colour';
import { useStore } from '../../state/store_context';
import { RefusalText } from '../form/RefusalText';
import { NewPerson } from './NewPerson';
import '../dialogs.css';

/** People that are listed; the filter finds the others. */
const LISTED_MAX = 50;
const TABS = [
  { id: 'known', label: 'People of this hub' },
  { id: 'new', label: 'New person' },
] as const;

export function InvitePeople(props: { onClose(): void }) {
  const store = useStore();
  const name = createUniqueId();
  const [tab, setTab] = createSignal<'known' | 'new'>('known');
  const [people] = createResource(() => store.commands.listPeople());
  return (
    <Dialog
      title={`Invite people to ${store.snapshot()?.project.name ?? 'the project'}`}
      onClose={props.onClose}
      footer={
        <button type="button" class="button" onClick={() => props.onClose()}>
          Done
        </button>
      }
    >
      <div class="dialog-stack">
        <TabList name={name} label="Whom to invite" tabs={TABS} selected={tab()} onSelect={setTab} />
        <TabPanel name={name} tab={tab()}>
          <Switch>
            <Match when={tab() === 'new'}>
              <NewPerson people={people.error ? [] : (people.latest ?? [])} />
            </Match>
            <Match when={people.error}>
              <RefusalText refusal={toRefusal(people.error)} />
            </Match>
            <Match when={people.latest}>{(all) => <PeopleOfHub people={all()} onNew={() => setTab('new')} />}</Match>
          </Switch>
        </TabPanel>
      </div>
    </Dialog>
  );
}

function PeopleOfHub(props: { people: readonly Person[]; onNew(): void }) {
  const store = useStore();
  const [typed, setTyped] = createSignal('');
  const [refusal, setRefusal] = createSignal<Refusal>();
  // People who were not in the project at first; whoever is added stays visible, with a mark.
  const outside = untrack(() => props.people.filter((person) => !store.members().has(person.id)));
  const shown = () => rank(typed(), outside, (person) => person.name).slice(0, LISTED_MAX);
  const add = async (person: Person) => {
    setRefusal(undefined);
    await store.commands.addProjectPerson(person.id).catch((thrown) => setRefusal(toRefusal(thrown)));
  };
  return (
    <Show
      when={outside.length > 0}
      fallback={
        <div class="dialog-stack">
          <p class="dialog-note">Everyone on this hub is already in the project.</p>
          <button type="button" class="button form-act" onClick={() => props.onNew()}>
            Invite a new person
          </button>
        </div>
      }
    >
      <div class="dialog-stack">
        <input
          class="text-input"
          type="search"
          aria-label="Find a person"
          placeholder="Find a person"
          value={typed()}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <ul class="people-list" aria-label="People of this hub">
          <For each={shown()} fallback={<li class="dialog-note">No matches.</li>}>
            {(person) => <PersonRow person={person} isIn={store.members().has(person.id)} onAdd={() => add(person)} />}
          </For>
        </ul>
        <Show when={refusal()}>{(why) => <RefusalText refusal={why()} />}</Show>
      </div>
    </Show>
  );
}

function PersonRow(props: { person: Person; isIn: boolean; onAdd(): Promise<void> }) {
  const colour = usePersonColour();
  const [isBusy, setBusy] = createSignal(false);
  const add = async () => {
    setBusy(true);
    await props.onAdd();
    setBusy(false);
  };
  return (
    <li class="people-row">
      <Avatar name={props.person.name} shape="person" colour={colour({ ...props.person, type: 'person' })} />
      <span class="people-name">{props.person.name}</span>
      <Show when={!props.isIn} fallback={<span class="hint">is in the project</span>}>
        <button
          type="button"
          class="button"
          aria-label={`Add ${props.person.name}`}
          disabled={isBusy()}
          onClick={() => void add()}
        >
          Add
        </button>
      </Show>
    </li>
  );
}
