/** The style of the API reference. One text, because its hash is part of the page's security policy. */
export const referenceStyle = `
:root {
  --ground: #ffffff; --panel: #f6f5f1; --ink: #1d1f24; --soft: #5a5f6b; --line: #dedbd2; --link: #7a3b00;
  --code: #f1efe9; --block: #23252b; --block-ink: #f1efe9;
  --get: #0b5e8a; --post: #1e6b34; --put: #7a4b00; --patch: #6a3d9a; --delete: #a11d2b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #16181d; --panel: #1d2026; --ink: #e7e5df; --soft: #a5a9b3; --line: #343842; --link: #f0b36b;
    --code: #262a32; --block: #0e1013; --block-ink: #e7e5df;
    --get: #7cc4ee; --post: #83d39a; --put: #f0b36b; --patch: #cbaaf0; --delete: #f59aa3;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
a { color: var(--link); text-underline-offset: 0.15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
:target { scroll-margin-top: 1rem; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--ground); padding: 0.5rem 1rem; z-index: 1; }
nav { background: var(--panel); border-bottom: 1px solid var(--line); padding: 1.5rem; font-size: 0.875rem; }
nav h2 { font-size: 0.875rem; margin: 1.25rem 0 0.25rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: 0.15rem 0; }
nav a { color: inherit; text-decoration: none; }
nav a:hover { color: var(--link); text-decoration: underline; }
.brand { font-size: 1.125rem; font-weight: 700; margin: 0; }
.brand small { color: var(--soft); font-weight: 400; }
main { padding: 1.5rem; max-width: 60rem; }
h1, h2, h3, h4 { line-height: 1.25; }
h1 { font-size: 2rem; margin: 0.5rem 0 1rem; }
main h2 { font-size: 1.5rem; margin: 3rem 0 1rem; padding-bottom: 0.35rem; border-bottom: 2px solid var(--line); }
h3 { font-size: 1.15rem; margin: 0 0 0.5rem; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4 { font-size: 0.95rem; margin: 1.25rem 0 0.35rem; }
article { margin: 0 0 2rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: 10px; }
article:target { border-color: var(--link); }
.address { margin: 0 0 0.75rem; overflow-wrap: anywhere; }
.method { font: 700 0.75rem/1 ui-monospace, monospace; letter-spacing: 0.04em; color: var(--soft); }
nav .method { display: inline-block; min-width: 3.75rem; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); }
.patch { color: var(--patch); } .delete { color: var(--delete); }
.scope { font-size: 0.8rem; border: 1px solid var(--line); border-radius: 999px; padding: 0.1rem 0.6rem; color: var(--soft); }
code { font-family: ui-monospace, monospace; font-size: 0.875em; background: var(--code); padding: 0.1em 0.3em; border-radius: 4px; }
pre { background: var(--block); color: var(--block-ink); border-radius: 8px; padding: 1rem; overflow-x: auto; line-height: 1.45; }
pre code { background: none; padding: 0; color: inherit; }
table { width: 100%; border-collapse: collapse; margin: 0.5rem 0; font-size: 0.9rem; }
caption { text-align: left; font-weight: 600; padding: 0.35rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0; border-top: 1px solid var(--line); overflow-wrap: break-word; }
th { white-space: nowrap; }
td:nth-last-child(2) { min-width: 7.5rem; }
td:last-child { width: 99%; padding-right: 0; }
td:last-child:not([colspan]) { overflow-wrap: anywhere; }
thead th { color: var(--soft); font-weight: 600; border-top: 0; }
tbody th { font-weight: 400; }
th em { color: var(--delete); font-size: 0.75rem; font-style: normal; }
td[colspan] { border-top: 0; padding-left: 0.75rem; }
td table { margin: 0; border-left: 3px solid var(--line); }
td table :is(th:first-child, td[colspan], caption) { padding-left: 0.75rem; }
td table caption { color: var(--soft); }
.limits { color: var(--soft); }
.format { white-space: nowrap; }
dl { display: grid; grid-template-columns: 3.5rem 1fr; gap: 0.25rem 0.75rem; margin: 0; font-size: 0.9rem; }
dt { font-family: ui-monospace, monospace; font-weight: 600; }
dd { margin: 0; min-width: 0; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border-bottom: 0; border-right: 1px solid var(--line); }
  main { padding: 2rem 3rem; }
}
@media (max-width: 40rem) {
  article { padding: 1rem 0; border-width: 1px 0 0; border-radius: 0; }
  dl { grid-template-columns: minmax(0, 1fr); }
  /* No room for columns: the name and the type of a field stand above its meaning. */
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, caption, tbody, tr { display: block; }
  tr { padding: 0.4rem 0; border-top: 1px solid var(--line); }
  tr:has(> td[colspan]) { border-top: 0; }
  tbody > tr > :is(th, td) { display: inline; padding: 0 0.5rem 0 0; border: 0; white-space: normal; overflow-wrap: break-word; }
  tbody > tr > td:last-child { display: block; width: auto; padding: 0; }
  td table { padding-left: 0.75rem; }
  td table :is(th:first-child, td[colspan], caption) { padding-left: 0; }
}
`;
