import { EndpointsPage } from './endpoints-page.tsx';

export default function ChattwoPage() {
  return <EndpointsPage channel="chattwo" />;
}
