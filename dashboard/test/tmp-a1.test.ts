import { test } from 'vitest';
import { draw } from '/work/main/dashboard/src/features/workflows/layout.ts';
import { problemsIn } from '/work/main/dashboard/src/features/workflows/problems.ts';
test('t', () => {
  for (const n of [100, 300, 500]) {
    const steps = Array.from({ length: n }, (_, i) => i % 7 === 3 ? { id: `s${i}`, kind: 'branch', branches: [{ when: 'a', goto: `s${Math.min(n - 1, i + 9)}` }, { when: 'b', goto: 'end' }] } : { id: `s${i}`, kind: 'send' });
    let t = performance.now(); draw({ steps }); const a = performance.now() - t;
    t = performance.now(); problemsIn(steps); console.log(n, Math.round(a), Math.round(performance.now() - t));
  }
}, 60000);
