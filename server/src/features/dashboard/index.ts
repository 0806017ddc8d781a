export { createDashboard } from './pages.ts';
