import { expect, test } from 'vitest';
import { aMessage, fixedTimeline } from '../../state/testing/fixtures';
import { withMessage } from './with_message';

test('a timeline that knows one message more', () => {
  const loaded = aMessage({ id: 'msg_loaded' });
  const step = { id: 's1', name: 'grep', started_at: '' };
  const root = aMessage({ id: 'msg_root', steps: [step] });
  const timeline = withMessage(fixedTimeline([loaded]), () => root);
  expect(timeline.message('msg_root')).toBe(root);
  expect(timeline.steps('msg_root')).toEqual([step]);
  expect(timeline.message('msg_loaded')).toBe(loaded);
  expect(timeline.message('msg_other')).toBeUndefined();
  expect(timeline.ids()).toEqual(['msg_loaded']);
});
