import { type Channel, channelNames, common } from '../../strings/common.ts';
import { templates as text } from '../../strings/templates.ts';
import { ChannelLabel, Stack } from '../../ui/index.ts';
import styles from './templates.module.css';

export function AddChannel({ channels, onAdd }: { channels: Channel[]; onAdd(channel: Channel): void }) {
  const others = channelNames.filter((channel) => !channels.includes(channel));
  if (others.length === 0) return <p className={styles.nothing}>{text.allChannels}</p>;
  return (
    <Stack>
      <div>
        <h2>{text.addChannel}</h2>
        <p className={styles.muted}>{text.addChannelHint}</p>
      </div>
      <div className={styles.choices}>
        {others.map((channel) => (
          <button
            key={channel}
            type="button"
            className={styles.choice}
            aria-label={text.addButton(channel)}
            onClick={() => onAdd(channel)}
          >
            <span className={styles.choiceName}>
              <ChannelLabel channel={channel} wire />
            </span>
            <span className={styles.muted}>{text.about[channel] ?? common.channel(channel)}</span>
          </button>
        ))}
      </div>
    </Stack>
  );
}
