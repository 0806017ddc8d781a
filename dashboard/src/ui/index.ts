/** The design system: pages take everything from here. */
export { Badge, ChannelLabel, StatusBadge, type Tone } from './badge.tsx';
export { AnchorButton, Button, IconButton, LinkButton } from './button.tsx';
export { type Series, Sparkline, StackedBars } from './chart.tsx';
export { classes } from './classes.ts';
export { CodeBlock, Copyable, CopyButton, JsonBlock, Kbd, SecretOnce } from './code.tsx';
export { ConfirmDialog, Dialog, Form } from './dialog.tsx';
export { describeError } from './error.ts';
export { Checkbox, Field, Input, Radio, SearchInput, Select, Switch, Textarea } from './field.tsx';
export { FormError } from './form-error.tsx';
export { HtmlFrame } from './html-frame.tsx';
export { Icon, type IconName } from './icons.tsx';
export { Menu, type MenuItems } from './menu.tsx';
export { formatCount, formatShare } from './numbers.ts';
export {
  Card,
  Columns,
  EmptyState,
  ErrorState,
  Loaded,
  Notice,
  Page,
  Pairs,
  Row,
  Skeleton,
  Stack,
} from './page.tsx';
export { type Segment, Segments } from './segments.tsx';
export { fileSize } from './size.ts';
export { type Column, ListTable, Table } from './table.tsx';
export { TabLink, TabLinks, Tabs } from './tabs.tsx';
export { duration, ExactTime, Time, useNow } from './time.tsx';
export { localZone, shortTime } from './time-format.ts';
export { useToast } from './toast.tsx';
export { Tooltip } from './tooltip.tsx';
export { useFocusReturn } from './use-focus-return.ts';
