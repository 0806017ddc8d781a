import { useNavigate } from '@tanstack/react-router';
import { Dialog as Primitive } from 'radix-ui';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import { useEnvironment } from '../api/environment.tsx';
import { common } from '../strings/common.ts';
import { shell } from '../strings/shell.ts';
import { Icon, type IconName, useFocusReturn } from '../ui/index.ts';
import { areas } from './areas.ts';
import frame from './layout.module.css';
import styles from './palette.module.css';
import { setTheme } from './theme.ts';

interface Command {
  name: string;
  icon: IconName;
  run(): void;
}

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Ctrl-K: every area, every command, and every object with an id. */
export function Palette(props: { open: boolean; onOpenChange(open: boolean): void; onSignOut(): void }) {
  const { open, onOpenChange } = props;
  const focus = useFocusReturn();
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <Primitive.Portal>
        <Primitive.Overlay className={frame.veil} />
        <Primitive.Content className={styles.panel} aria-describedby={undefined} {...focus}>
          <Primitive.Title className="visually-hidden">{shell.palette.title}</Primitive.Title>
          <Finder onDone={() => onOpenChange(false)} onSignOut={props.onSignOut} />
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

function Finder({ onDone, onSignOut }: { onDone(): void; onSignOut(): void }) {
  const [text, setText] = useState('');
  const [selected, setSelected] = useState(0);
  const id = useId();
  const commands = useCommands(text.trim(), onSignOut);
  const chosen = Math.min(selected, commands.length - 1);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onDone();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && commands.length > 0) {
      event.preventDefault();
      setSelected((chosen + step + commands.length) % commands.length);
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      run(commands[chosen]);
    }
  };
  return (
    <>
      <input
        className={styles.input}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setSelected(0);
        }}
        onKeyDown={onKeyDown}
        placeholder={shell.palette.placeholder}
        aria-label={shell.palette.title}
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={commands.length > 0 ? `${id}-${chosen}` : undefined}
        autoComplete="off"
        spellCheck={false}
      />
      <div id={`${id}-list`} role="listbox" aria-label={shell.palette.results} className={styles.list}>
        {commands.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input keeps the focus and handles the keys
          <div
            key={command.name}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className={styles.option}
            onClick={() => run(command)}
            onMouseMove={() => setSelected(index)}
            ref={(element) => {
              if (index === chosen) element?.scrollIntoView({ block: 'nearest' });
            }}
          >
            <Icon name={command.icon} />
            {command.name}
          </div>
        ))}
      </div>
      {commands.length === 0 && <div className={styles.nothing}>{shell.palette.nothing}</div>}
    </>
  );
}

function useCommands(text: string, onSignOut: () => void): Command[] {
  const { kind } = useEnvironment();
  const navigate = useNavigate();
  const fixed = useMemo<Command[]>(() => {
    const go = (path: string) => () => void navigate({ to: path });
    const other = kind === 'test' ? 'live' : 'test';
    return [
      ...areas.map((area) => ({
        name: shell.palette.goTo(area.name),
        icon: area.icon,
        run: go(`/${kind}${area.path}`),
      })),
      { name: shell.palette.switchTo(common[other]), icon: 'retry', run: go(`/${other}/overview`) },
      ...(['light', 'dark', 'system'] as const).map((theme) => ({
        name: `${shell.theme}: ${shell.themes[theme]}`,
        icon: theme === 'dark' ? ('moon' as const) : ('sun' as const),
        run: () => setTheme(theme),
      })),
      { name: shell.profile, icon: 'person', run: go(`/${kind}/settings/profile`) },
      { name: shell.signOut, icon: 'leave', run: onSignOut },
    ];
  }, [kind, navigate, onSignOut]);

  const words = text.toLowerCase().split(/\s+/);
  const found = fixed.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  return [...found, ...directCommands(text, kind, (path) => void navigate({ to: path }))];
}

/** Commands for a typed id, address or user. */
function directCommands(text: string, kind: string, go: (path: string) => void): Command[] {
  if (text.length < 3) return [];
  if (idPattern.test(text)) {
    return [
      {
        name: shell.palette.openNotification(text),
        icon: 'notifications',
        run: () => go(`/${kind}/notifications/${text}`),
      },
      { name: shell.palette.openRun(text), icon: 'workflows', run: () => go(`/${kind}/runs/${text}`) },
    ];
  }
  const encoded = encodeURIComponent(text);
  return [
    ...(/^\S+@\S+$|^\+\d+$/.test(text)
      ? [
          {
            name: shell.palette.recipient(text),
            icon: 'notifications' as const,
            run: () => go(`/${kind}/notifications?recipient=${encoded}`),
          },
        ]
      : []),
    {
      name: shell.palette.user(text),
      icon: 'person',
      run: () => go(`/${kind}/preferences/users/${encoded}`),
    },
  ];
}
