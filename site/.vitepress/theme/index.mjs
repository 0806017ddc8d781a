// Without the web font of the default theme, which is larger than all guides together.
export { default } from 'vitepress/theme-without-fonts';

import './style.css';
