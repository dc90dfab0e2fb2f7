// Authorizes an order, waits for the customer, captures it, and refunds it.
package main

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const firstAnswer = 60 * time.Second

var (
	brokers  = cmp.Or(os.Getenv("KAFKA_BROKERS"), "127.0.0.1:9092")
	prefix   = os.Getenv("KAFKA_TOPIC_PREFIX")
	merchant = cmp.Or(os.Getenv("MERCHANT"), "shop-fr")
	orderID  = cmp.Or(os.Getenv("ORDER_ID"), fmt.Sprintf("go-%d", time.Now().UnixMilli()))
	// The published test key, which `npm run stack` accepts for shop-fr and production refuses.
	signer = Signer{
		KID:           cmp.Or(os.Getenv("SIGNING_KID"), "shop-fr-test"),
		Seed:          cmp.Or(os.Getenv("SIGNING_KEY"), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"),
		EnvironmentID: cmp.Or(os.Getenv("ENVIRONMENT_ID"), "demo"),
	}
	commandTopic = prefix + "payments.commands.partner-a.v1"
	events       = prefix + "payments.events.v1"
	deadLetters  = prefix + "payments.commands.dead-letter.v1" // in production, only operators may read it
)

// Event has those fields of payment-event.json that this program reads.
type Event struct {
	RedirectHTML string `json:"redirectHtml"`
	Outcome      string `json:"outcome"`
	Message      string `json:"message"`
	Faults       []struct{ Path, Message string }
}

type shop struct {
	client   *kgo.Client
	commands map[string]Command  // in your service: columns of the order
	seen     map[string]struct{} // in your service: a table with a unique key, written in the transaction of the work
}

// publishOnce: a success may be published again with more details. It must not lead to a second capture with another id.
func (s *shop) publishOnce(ctx context.Context, kind string, data map[string]any) error {
	if _, isPublished := s.commands[kind]; isPublished {
		return nil
	}
	command, err := NewCommand(commandTopic, kind, merchant, orderID, data)
	if err != nil {
		return err
	}
	s.commands[kind] = command
	if err := Publish(ctx, s.client, signer, command); err != nil {
		return err
	}
	fmt.Println("published", kind)
	return nil
}

// handle returns whether the order has ended.
func (s *shop) handle(ctx context.Context, kind string, value []byte) (bool, error) {
	var event Event
	if err := json.Unmarshal(value, &event); err != nil {
		return false, err
	}
	// It comes in place of the event that its outcome names.
	if operation, isResolved := strings.CutSuffix(kind, "doubt_resolved"); isResolved {
		kind = operation + event.Outcome
	}
	switch {
	case kind == "payment.authorize.redirect_required":
		page, err := base64.StdEncoding.DecodeString(event.RedirectHTML)
		if err != nil {
			return false, err
		}
		fmt.Println("open form.html and decide as the customer")
		return false, os.WriteFile("form.html", page, 0o600)
	case kind == "payment.authorize.succeeded":
		return false, s.publishOnce(ctx, "payment.capture", order())
	case kind == "payment.capture.succeeded":
		return false, s.publishOnce(ctx, "payment.refund", order())
	case strings.HasSuffix(kind, ".refused"), strings.HasSuffix(kind, ".rejected"),
		strings.HasSuffix(kind, ".expired"), strings.HasSuffix(kind, ".not_executed"):
		reasons := []string{}
		for _, fault := range event.Faults {
			reasons = append(reasons, fault.Path+" "+fault.Message)
		}
		return false, fmt.Errorf("%s: %s", kind, cmp.Or(strings.Join(reasons, "; "), event.Message, "no reason given"))
	}
	return kind == "payment.refund.succeeded", nil
}

func (s *shop) follow(ctx context.Context) error {
	deadline := time.Now().Add(firstAnswer)
	for {
		poll, cancel := context.WithTimeout(ctx, time.Second)
		fetches := s.client.PollFetches(poll)
		cancel()
		if len(s.seen) == 0 && time.Now().After(deadline) {
			return fmt.Errorf("no answer in %s: check the command with `tranche commands check`", firstAnswer)
		}
		if err := fetches.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			log.Print(err)
		}
		for _, record := range fetches.Records() {
			headers := HeadersOf(record)
			id, kind := headers["ce_id"], headers["ce_type"]
			if string(record.Key) != merchant+"/"+orderID {
				continue
			}
			if record.Topic == deadLetters {
				return fmt.Errorf("dead letter: %s: %s", headers["dead-letter-code"], headers["dead-letter-message"])
			}
			if _, isSeen := s.seen[id]; isSeen {
				continue
			}
			fmt.Println("received", kind)
			hasEnded, err := s.handle(ctx, kind, record.Value)
			if err != nil || hasEnded {
				return err
			}
			s.seen[id] = struct{}{}
		}
		if err := s.client.CommitUncommittedOffsets(ctx); err != nil {
			return err
		}
	}
}

func order() map[string]any {
	return map[string]any{"merchant": merchant, "orderId": orderID, "amount": 30000, "description": "Three chairs"}
}

func authorization() map[string]any {
	person := map[string]any{
		"firstName": "Jeanne", "lastName": "Martin", "mobilePhone": "+33612345678",
		"address": "12 rue des Lilas", "postalCode": "75011", "city": "Paris", "country": "FR",
	}
	data := order()
	data["paymentOption"] = "partnerA-3xcb"
	data["client"] = map[string]any{
		"id": "customer-1", "email": "jeanne@example.com", "ip": "203.0.113.10", "userAgent": "Mozilla/5.0",
	}
	data["billing"], data["shipping"] = person, person
	data["cart"] = []map[string]any{{"totalAmount": 30000}}
	return data
}

func run(ctx context.Context) error {
	client, err := Connect(brokers, "shop-in-go", events, deadLetters)
	if err != nil {
		return err
	}
	defer client.Close()
	s := &shop{client: client, commands: map[string]Command{}, seen: map[string]struct{}{}}
	if err := s.publishOnce(ctx, "payment.authorize", authorization()); err != nil {
		return err
	}
	return s.follow(ctx)
}

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(orderID, "was captured and refunded")
}
