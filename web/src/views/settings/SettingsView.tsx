/** Settings: name, password, appearance and notifications. Safe changes take effect at once. */
import { createResource, type JSX, Show } from 'solid-js';
import { toRefusal } from '../../api/refusal';
import { Choice } from '../../parts/field/Choice';
import { Switch } from '../../parts/field/Switch';
import { Icon } from '../../parts/Icon';
import { toast } from '../../parts/toast/Toast';
import { runShortcut } from '../../platform/shortcuts';
import { useStore } from '../../state/store_context';
import { ViewBar } from '../ViewBar';
import { AppearancePreview } from './AppearancePreview';
import { NameForm } from './NameForm';
import { NotifySetting } from './NotifySetting';
import { PasswordForm } from './PasswordForm';
import './SettingsView.css';

export function SettingsView() {
  return (
    <main class="view settings-view">
      <ViewBar title="Settings" />
      <div class="view-body">
        <div class="view-column">
          <Section title="You">
            <NameForm />
            <PasswordForm />
          </Section>
          <AppearanceSection />
          <Section title="Notifications">
            <NotifySetting />
          </Section>
          <KeyboardSection />
          <AboutSection />
        </div>
      </div>
    </main>
  );
}

function Section(props: { title: string; children: JSX.Element }) {
  return (
    <section class="settings-section">
      <h2>{props.title}</h2>
      <div class="settings-card">{props.children}</div>
    </section>
  );
}

function AppearanceSection() {
  const { preferences, commands } = useStore();
  return (
    <Section title="Appearance">
      <Choice
        label="Theme"
        options={[
          { id: 'system', label: 'System', icon: 'screen' },
          { id: 'dark', label: 'Dark', icon: 'moon' },
          { id: 'light', label: 'Light', icon: 'sun' },
        ]}
        selected={preferences().theme}
        onSelect={(theme) => commands.setPreferences({ theme })}
      />
      <Choice
        label="Density"
        options={[
          { id: 'comfortable', label: 'Comfortable' },
          { id: 'compact', label: 'Compact' },
        ]}
        selected={preferences().density}
        onSelect={(density) => commands.setPreferences({ density })}
      />
      <Switch
        label="One column"
        hint="All messages on the left, with an edge in the colour of their source."
        isOn={preferences().singleColumn}
        onChange={(singleColumn) => commands.setPreferences({ singleColumn })}
      />
      <AppearancePreview />
    </Section>
  );
}

function KeyboardSection() {
  const { preferences, commands } = useStore();
  return (
    <Section title="Keyboard">
      <Switch
        label="Enter sends"
        hint="Otherwise Enter starts a new line, and Ctrl or ⌘ with Enter sends."
        isOn={preferences().enterSends}
        onChange={(enterSends) => commands.setPreferences({ enterSends })}
      />
      <Switch
        label="Single-letter shortcuts"
        hint="J, K, R and others, outside fields. Shortcuts with Ctrl, ⌘ or Alt always work."
        isOn={preferences().letterKeys}
        onChange={(letterKeys) => commands.setPreferences({ letterKeys })}
      />
      <div class="settings-acts">
        <button type="button" class="button" onClick={() => runShortcut('sheet')}>
          <Icon name="keyboard" size={16} />
          Show the shortcuts
        </button>
      </div>
    </Section>
  );
}

function AboutSection() {
  const { commands } = useStore();
  const [version] = createResource(() => commands.hubVersion().catch(() => undefined));
  const signOut = () =>
    commands.signOut().catch((thrown: unknown) => {
      const { message, code } = toRefusal(thrown);
      toast(`You are still signed in. ${message} (${code})`, { kind: 'danger' });
    });
  return (
    <Section title="About">
      <p class="settings-about">
        Parlour <Show when={version()}>{(number) => <span class="settings-version">{number()}</span>}</Show>
        <span aria-hidden="true">·</span>
        <a href="/docs">API documentation</a>
      </p>
      <div class="settings-acts">
        <button type="button" class="button" onClick={() => void signOut()}>
          <Icon name="exit" size={16} />
          Sign out
        </button>
      </div>
    </Section>
  );
}
