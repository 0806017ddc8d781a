/** The design system: pages import everything from here. */
export { Badge, ChannelLabel, StatusBadge, type Tone } from './badge.tsx';
export { Card, Columns, Pairs, Row, Stack } from './blocks.tsx';
export { AnchorButton, Button, IconButton, LinkButton } from './button.tsx';
export { type Series, Sparkline, StackedBars } from './chart.tsx';
export { classes } from './classes.ts';
export { CodeBlock, Copyable, CopyButton, JsonBlock, Kbd, SecretOnce } from './code.tsx';
export { Dialog, Form } from './dialog.tsx';
export { describeError } from './error.ts';
export {
  Checkbox,
  Field,
  Input,
  Radio,
  SearchInput,
  Select,
  Switch,
  Textarea,
  useFormError,
} from './field.tsx';
export { ConfirmDialog, FormDialog } from './form-dialog.tsx';
export { FormError } from './form-error.tsx';
export { HtmlFrame } from './html-frame.tsx';
export { Icon, type IconName } from './icons.tsx';
export { emptyInbox, type InboxDraft, InboxFields, inboxOf, isInboxWrong } from './inbox-fields.tsx';
export { ClearFilters, List, ListCard, LoadMore, SelectFilter } from './list.tsx';
export { ErrorState, Loaded, Skeleton } from './loaded.tsx';
export { isoOf, localOf } from './local-time.ts';
export { Menu } from './menu.tsx';
export { EmptyState, Notice } from './notice.tsx';
export { formatCount, formatMoney, formatShare } from './numbers.ts';
export { Page } from './page.tsx';
export { ProgressBar } from './progress-bar.tsx';
export { isRingWrong, type RingDraft, RingFields, ringDraftOf, ringOf } from './ring-fields.tsx';
export { Segments } from './segments.tsx';
export { fileSize } from './size.ts';
export { type Column, menuColumn, Table } from './table.tsx';
export { TabLink, TabLinks, Tabs } from './tabs.tsx';
export { duration, ExactTime, Time, useNow } from './time.tsx';
export { localZone, shortTime } from './time-format.ts';
export { useToast } from './toast.tsx';
export { Tooltip } from './tooltip.tsx';
export { useFocusReturn } from './use-focus-return.ts';
export { ZoneInput } from './zone-input.tsx';
