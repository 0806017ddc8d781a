import { expect, test } from 'vitest';
import { createSemaphore } from './semaphore.ts';

test('a gate lets only its width through, keeps a bounded line, and sends the rest away', async () => {
  const gate = createSemaphore({ width: 2, waiting: 2 });
  const finish: (() => void)[] = [];
  const started: number[] = [];
  const work = (number: number) =>
    gate.run(async () => {
      started.push(number);
      await new Promise<void>((resolve) => finish.push(resolve));
      return number;
    });

  const running = [work(1), work(2), work(3), work(4)];
  await expect(work(5)).rejects.toMatchObject({
    code: 'temporarily_unavailable',
    headers: { 'retry-after': '2' },
  });
  expect(started).toEqual([1, 2]);

  finish[0]?.();
  expect(await running[0]).toBe(1);
  await expect.poll(() => started).toEqual([1, 2, 3]);
  finish[1]?.();
  await expect.poll(() => started).toEqual([1, 2, 3, 4]);
  finish[2]?.();
  finish[3]?.();
  expect(await Promise.all(running)).toEqual([1, 2, 3, 4]);
});

test('work that throws gives its place back', async () => {
  const gate = createSemaphore({ width: 1, waiting: 0 });
  await expect(gate.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await gate.run(async () => 'yes')).toBe('yes');
});
