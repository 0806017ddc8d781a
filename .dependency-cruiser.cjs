// The import law: main → app → tables → features → {engine, channels, queue, http} → {db, templating} → threads → kernel; and cli, widgets, dashboard → sdk, which
// knows the wire and nothing else.
// Type imports count too: knowing a type is knowing its owner. Tests and benchmarks may import anything.

const src = '^server/src/';
const tests = '(\\.test|/test-harness)\\.ts$';
/** The bundle contains them; packages that only tools and tests use are in the package.json of the root. */
const bundled = Object.keys(require('./server/package.json').devDependencies);
/** What is passed in: its types are known everywhere above db. */
const given = '((deps|config)\\.ts$|settings/)';

/** The rooms of features/, lowest floor first: a room uses those on lower floors. ARCHITECTURE.md shows them. */
const floors = [
  ['platform'],
  ['content', 'webhooks'],
  ['people', 'control'],
  ['inbox'],
  ['notifications'],
  ['providers', 'workflows', 'smtp-in'],
  ['delivery', 'insight'],
  ['campaigns'],
];
/** The door of a feature; a room that is one feature has it directly in its folder. */
const door = (file) => [`${src}features/[^/]+/${file}\\.ts$`, `${src}features/[^/]+/[^/]+/${file}\\.ts$`];

/** What the files below `from` may import of ours: themselves and what is listed. */
const onlyMayImport = (name, from, allowed, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: `${src}${from}`, pathNot: tests },
  to: {
    path: '^(server|bench)/',
    pathNot: ['/node_modules/', `${src}${from}`, ...allowed.map((path) => `${src}${path}`)],
  },
});

module.exports = {
  forbidden: [
    onlyMayImport('kernel-knows-nothing', 'kernel/', [], 'kernel imports nothing of ours.'),
    onlyMayImport(
      'threads-know-kernel',
      'threads/(?!task-thread|entries)',
      ['kernel/', 'threads/'],
      'threads imports kernel alone; the entry of the thread has the table of tasks.',
    ),
    onlyMayImport('db-knows-kernel', 'db/', ['kernel/'], 'db imports kernel alone.'),
    onlyMayImport(
      'templating-knows-kernel',
      'templating/',
      ['(threads|kernel)/'],
      'templating imports threads and kernel.',
    ),
    onlyMayImport(
      'queue-direction',
      'queue/',
      ['(db|threads|kernel)/'],
      'queue imports db, threads and kernel.',
    ),
    onlyMayImport(
      'engine-is-pure',
      'engine/',
      ['(templating|threads|kernel)/'],
      'The engine decides and does nothing: templating, threads and kernel alone.',
    ),
    onlyMayImport(
      'channels-direction',
      'channels/',
      ['(db|templating|threads|kernel)/'],
      'channels imports db, templating, threads and kernel.',
    ),
    onlyMayImport(
      'http-direction',
      'http/',
      ['(db|threads|kernel)/', given],
      'http imports db, threads and kernel, and the types of what it is given.',
    ),
    onlyMayImport(
      'features-direction',
      'features/',
      ['(engine|channels|queue|http|db|templating|threads|kernel)/', given],
      'Features import the machinery below them, never app, main or the tables.',
    ),
    onlyMayImport(
      'deps-and-config-are-low',
      given,
      ['(channels|queue|http|db|threads|kernel)/'],
      'deps.ts, config.ts and settings/ are known by features, so they know none.',
    ),
    ...['([^/]+)/[^/]+\\.ts$', '([^/]+/[^/]+)/'].map((folder) => ({
      name: 'features-by-their-door',
      severity: 'error',
      comment: 'A feature sees another one only through its index.ts.',
      from: { path: `${src}features/${folder}`, pathNot: tests },
      to: { path: `${src}features/`, pathNot: [`${src}features/$1/`, ...door('index')] },
    })),
    ...floors.flatMap((rooms, floor) =>
      rooms.map((room) => ({
        name: `floor-of-${room}`,
        severity: 'error',
        comment: `${room} is on floor ${floor + 1}: it uses only the rooms of lower floors.`,
        from: { path: `${src}features/${room}/`, pathNot: tests },
        to: {
          path: `${src}features/`,
          pathNot: `${src}features/(${[room, ...floors.slice(0, floor).flat()].join('|')})/`,
        },
      })),
    ),
    {
      name: 'rooms-have-a-floor',
      severity: 'error',
      comment: 'Every feature is in one of the rooms of the table at the top of the law.',
      from: { path: `${src}features/(?!(${floors.flat().join('|')})/)` },
      to: {},
    },
    {
      name: 'tables-by-the-door',
      severity: 'error',
      comment:
        'Everything outside features/ sees a feature through its index.ts too. The table of what runs in threads takes its tasks.ts, so that a thread loads nothing else of it.',
      from: { path: src, pathNot: [`${src}features/`, `${src}tasks\\.ts$`, tests] },
      to: { path: `${src}features/`, pathNot: door('index') },
    },
    {
      name: 'threads-by-their-door',
      severity: 'error',
      comment: 'What runs in threads stands in the tasks.ts of its feature.',
      from: { path: `${src}tasks\\.ts$` },
      to: { path: `${src}features/`, pathNot: door('tasks') },
    },
    {
      name: 'providers-cannot-see-siblings',
      severity: 'error',
      comment: 'A provider is a folder that could be deleted: its siblings do not import it.',
      from: { path: `${src}channels/([^/]+)/providers/([^/]+)/`, pathNot: tests },
      to: { path: `${src}channels/$1/providers/`, pathNot: `${src}channels/$1/providers/$2/` },
    },
    {
      name: 'channels-cannot-see-siblings',
      severity: 'error',
      comment:
        'Channels share contract.ts, the files beside it and http-kind/, not each other. Two stand apart: registry.ts lists them all, and the sandbox shows what each would have sent.',
      from: { path: `${src}channels/([^/]+)/`, pathNot: [`${src}channels/sandbox/`, tests] },
      to: { path: `${src}channels/[^/]+/`, pathNot: [`${src}channels/$1/`, `${src}channels/http-kind/`] },
    },
    {
      name: 'deps-and-config-are-given',
      severity: 'error',
      comment: 'Settings are read once, by main.ts, and handed down: below it only their types are imported.',
      from: { path: `${src}[^/]+/`, pathNot: [`${src}(settings|processes|generate|demo)/`, tests] },
      to: { path: `${src}${given}`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nothing-imports-the-top',
      severity: 'error',
      comment: 'main.ts and what it starts are entries; app.ts is for them and for the banner.',
      from: {
        path: src,
        pathNot: [`${src}(main\\.ts$|processes/(service-process|banner)\\.ts$|demo/|generate/)`, tests],
      },
      to: { path: `${src}(main|app|processes/service-process|demo/demo|generate/generate)\\.ts$` },
    },
    {
      name: 'no-tests-in-the-service',
      severity: 'error',
      comment: 'The service never imports tests, test support or benchmarks.',
      from: { path: src, pathNot: tests },
      to: { path: [tests, '^server/test/', '^bench/', '^scripts/'] },
    },
    {
      name: 'no-other-packages-in-the-service',
      severity: 'error',
      comment: 'What the service imports must be among the devDependencies of server/package.json.',
      from: { path: src, pathNot: tests },
      to: {
        path: '(^|/)node_modules/',
        pathNot: `(^|/)node_modules/(${bundled.join('|')})/`,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'sdk-needs-nothing',
      severity: 'error',
      comment: 'The SDK runs wherever fetch does: no package, no node: module, nothing of ours but itself.',
      from: { path: '^sdk/src/', pathNot: tests },
      to: { pathNot: '^sdk/src/' },
    },
    {
      name: 'clients-by-the-wire',
      severity: 'error',
      comment: 'Clients and the service know each other by openapi.json alone.',
      from: { path: '^(sdk|cli|widgets|dashboard)/(src|generate)/', pathNot: tests },
      to: { path: '^(server|bench)/', pathNot: '/node_modules/' },
    },
    {
      name: 'service-knows-no-client',
      severity: 'error',
      comment: 'The service never imports a client of its own.',
      from: { path: src, pathNot: tests },
      to: { path: '^(sdk|cli|widgets|dashboard)/', pathNot: '/node_modules/' },
    },
    {
      name: 'sdk-by-its-doors',
      severity: 'error',
      comment: 'Others see the SDK as its users do: through its entry points.',
      from: { path: '^(cli|widgets|dashboard)/src/' },
      to: { path: '^sdk/', pathNot: '^sdk/src/(index|inbox/index|webhooks)\\.ts$' },
    },
    {
      name: 'pages-cannot-see-siblings',
      severity: 'error',
      comment:
        'Areas of the dashboard share ui/, shell/, api/, strings/, editor/ and previews/, not each other.',
      from: { path: '^dashboard/src/features/([^/]+)/' },
      to: { path: '^dashboard/src/features/', pathNot: '^dashboard/src/features/$1/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Two files that need each other are one thought in the wrong places.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-dangling-imports',
      severity: 'error',
      comment:
        'Every import leads somewhere. VitePress is installed only when the site is built, the queues of others only when we are compared with them.',
      from: { pathNot: '^(site/\\.vitepress|bench/peers)/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    moduleSystems: ['es6'],
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['carillon-source', 'import', 'types', 'node', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
};
