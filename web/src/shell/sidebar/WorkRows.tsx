/** The first rows of the sidebar: "Needs you", inbox and runs. */
import { createMemo } from 'solid-js';
import type { Reading } from '../../api/model';
import { Icon } from '../../parts/Icon';
import { route } from '../../platform/router';
import { useStore } from '../../state/store_context';
import { announceRuns } from '../notices/announce_runs';
import { notifyAboutQuestions } from '../notices/question_notifications';
import { runsText } from './runs_text';
import { SidebarRow } from './SidebarRow';

export function WorkRows() {
  const store = useStore();
  notifyAboutQuestions(store);
  announceRuns(store);
  const questions = () => store.questions().items.length;
  const toReader = createMemo(() => countToReader(store.snapshot()?.reading ?? []));
  const isOpen = (view: 'needs-you' | 'inbox' | 'runs') => (route().view === view ? ('page' as const) : undefined);
  return (
    <div class="work-rows">
      <SidebarRow
        to={{ view: 'needs-you' }}
        mark={<Icon name="question" size={16} />}
        name="Needs you"
        current={isOpen('needs-you')}
        unread={{ messages: questions(), mentions: questions() }}
        counted={questions() === 1 ? '1 question' : `${questions()} questions`}
      />
      <SidebarRow
        to={{ view: 'inbox' }}
        mark={<Icon name="inbox" size={16} />}
        name="Inbox"
        current={isOpen('inbox')}
        unread={{ messages: toReader(), mentions: 0 }}
        counted={`${toReader()} to you`}
      />
      <SidebarRow
        to={{ view: 'runs' }}
        mark={<Icon name="play" size={16} />}
        name="Runs"
        current={isOpen('runs')}
        detail={runsText(store.runs())}
      />
    </div>
  );
}

/** Counts unread mentions and DMs from the snapshot, without a request. */
function countToReader(reading: readonly Reading[]): number {
  const isDm = ({ conversation_id }: Reading) => conversation_id.startsWith('dm_');
  return reading.reduce((sum, one) => sum + (isDm(one) ? one.unread : one.mentions.length), 0);
}
