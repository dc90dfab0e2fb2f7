import './styles.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Refused } from './api/client.js';
import { App } from './app.js';
import { LiveProvider } from './live/live.js';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream says when something changed; what was refused is refused again.
      ...{ staleTime: 30_000, networkMode: 'always', refetchOnReconnect: true },
      retry: (failures, error) =>
        failures < 2 && !(error instanceof Refused && error.status >= 400 && error.status < 500),
      retryDelay: (failures) => 500 * (failures + 1),
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

const root = document.getElementById('page');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <LiveProvider>
          <App />
        </LiveProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
