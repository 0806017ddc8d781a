import { EndpointsPage } from './endpoints-page.tsx';

export default function ChatthreePage() {
  return <EndpointsPage channel="chatthree" />;
}
