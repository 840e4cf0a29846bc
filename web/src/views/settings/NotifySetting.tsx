/** Notifications about questions while the page is not visible. The browser asks only after a click. */
import { createSignal, Switch as Either, Match } from 'solid-js';
import { Switch } from '../../parts/field/Switch';
import { Icon } from '../../parts/Icon';
import { notifications } from '../../platform/notifications';
import { useStore } from '../../state/store_context';

export function NotifySetting() {
  const { preferences, commands } = useStore();
  const [permission, setPermission] = createSignal(notifications.permission());
  const allow = async () => {
    const now = await notifications.ask();
    setPermission(now);
    if (now === 'allowed') commands.setPreferences({ notify: true });
  };
  return (
    <Either>
      <Match when={permission() === 'allowed'}>
        <Switch
          label="Notify me of questions"
          hint="When someone asks you a question, unless it is on the screen."
          isOn={preferences().notify}
          onChange={(notify) => commands.setPreferences({ notify })}
        />
      </Match>
      <Match when={permission() === 'ask'}>
        <p class="hint">
          Get a browser notification when someone asks you a question. The browser will ask for permission.
        </p>
        <div class="settings-acts">
          <button type="button" class="button" onClick={() => void allow()}>
            <Icon name="bell" size={16} />
            Notify me
          </button>
        </div>
      </Match>
      <Match when={permission() === 'denied'}>
        <p class="hint" role="status">
          The browser blocks notifications. Allow them in the site settings, then reload the page.
        </p>
      </Match>
      <Match when={permission() === 'unsupported'}>
        <p class="hint">Notifications are not available here. They need HTTPS.</p>
      </Match>
    </Either>
  );
}
