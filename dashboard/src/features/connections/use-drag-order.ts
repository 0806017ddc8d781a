import { type PointerEvent, useRef, useState } from 'react';

interface Drag {
  from: number;
  to: number;
  /** The distance of the pointer from where it grabbed the row. */
  offset: number;
  height: number;
}

/**
 * Reorders rows by pointer. While it moves, rows are only shifted by styles, because moving elements would end the
 * pointer capture; `onMove` is called once, on release.
 */
export function useDragOrder(onMove: (from: number, to: number) => void) {
  const list = useRef<HTMLOListElement>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  const start = useRef({ y: 0, middles: [] as number[] });

  const end = (isDone: boolean) => {
    if (drag && isDone && drag.from !== drag.to) onMove(drag.from, drag.to);
    setDrag(null);
  };

  return {
    list,
    isDragging: (index: number) => drag?.from === index,
    /** The offset in pixels of a row during a drag. */
    shiftOf(index: number): number {
      if (!drag) return 0;
      if (index === drag.from) return drag.offset;
      if (index > drag.from && index <= drag.to) return -drag.height;
      if (index < drag.from && index >= drag.to) return drag.height;
      return 0;
    },
    /** The props of the handle of a row. */
    handle: (index: number) => ({
      onPointerDown(event: PointerEvent<HTMLElement>) {
        const rows = [...(list.current?.children ?? [])].map((row) => row.getBoundingClientRect());
        const own = rows[index];
        if (event.button !== 0 || !own) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { y: event.clientY, middles: rows.map(({ top, height }) => top + height / 2) };
        setDrag({ from: index, to: index, offset: 0, height: own.height });
      },
      onPointerMove(event: PointerEvent<HTMLElement>) {
        if (!drag) return;
        const { y, middles } = start.current;
        const offset = event.clientY - y;
        const middle = (middles[drag.from] ?? 0) + offset;
        const above = middles.filter((each, other) => other < drag.from && each > middle).length;
        const below = middles.filter((each, other) => other > drag.from && each < middle).length;
        setDrag({ ...drag, offset, to: drag.from - above + below });
      },
      onPointerUp: () => end(true),
      onPointerCancel: () => end(false),
    }),
    cancel: () => end(false),
  };
}
