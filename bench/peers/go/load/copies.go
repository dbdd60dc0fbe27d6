package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	etcd "go.etcd.io/etcd/client/v3"
)

// How many objects go into one transaction at most, and how many bytes; etcd's own limits are 128 and 1.5 MiB.
const (
	batchCount = 100
	batchBytes = 1 << 20
)

// A store is etcd, past the API server: the only way to have many objects in seconds that an operator has handled before. The
// API server's own cache follows etcd, so that its clients see them as any others.
type store struct {
	*etcd.Client
	flags
}

func openStore(f flags) (*store, error) {
	endpoint := "unix://" + filepath.Join(f.folder, "etcd.sock")
	c, err := etcd.New(etcd.Config{Endpoints: []string{endpoint}, DialTimeout: 5 * time.Second, MaxCallSendMsgSize: 1 << 26})
	return &store{c, f}, err
}

func (s *store) key(name string) string {
	return "/registry/bench.lotse.dev/items/" + s.namespace + "/" + name
}

// template returns the JSON of the object that was handled, with its uid.
func (s *store) template(ctx context.Context) (value, uid []byte, err error) {
	found, err := s.Get(ctx, s.key(s.prefix))
	if err != nil {
		return nil, nil, err
	}
	if len(found.Kvs) == 0 {
		return nil, nil, fmt.Errorf("there is no object %s in etcd", s.key(s.prefix))
	}
	value = found.Kvs[0].Value
	if !bytes.Contains(value, ready) {
		return nil, nil, fmt.Errorf("the object was not handled: %s", value)
	}
	return value, fieldOf(value, "uid"), nil
}

// put writes all copies of the template, which change alters, at most so many a second.
func (s *store) put(ctx context.Context, perSecond int, change func(value []byte) []byte) error {
	value, uid, err := s.template(ctx)
	if err != nil {
		return err
	}
	value = change(value)
	batch := max(1, min(batchCount, batchBytes/len(value)))
	started := time.Now()
	for from := 0; from < s.count; from += batch {
		if perSecond > 0 {
			time.Sleep(time.Until(started.Add(time.Duration(from) * time.Second / time.Duration(perSecond))))
		}
		puts := []etcd.Op{}
		for index := from; index < min(from+batch, s.count); index++ {
			name := fmt.Sprintf("%s-%d", s.prefix, index)
			copied := bytes.Replace(value, fmt.Appendf(nil, `"name":%q`, s.prefix), fmt.Appendf(nil, `"name":%q`, name), 1)
			// Notes name their object: namespace, name, uid. Source: docs/persistence.md.
			copied = bytes.ReplaceAll(copied, slices.Concat([]byte("/"+s.prefix+"/"), uid), slices.Concat([]byte("/"+name+"/"), uid))
			copied = bytes.ReplaceAll(copied, uid, fmt.Appendf(nil, "00000000-0000-4000-8000-%012d", index))
			puts = append(puts, etcd.OpPut(s.key(name), string(copied)))
		}
		if err := s.write(ctx, puts, perSecond == 0); err != nil {
			return err
		}
	}
	return nil
}

// write does all puts, at once or one by one. NB: what is written at once has one version, as no writes to an API server have:
// a watcher that begins anew after the first of these would not see the rest.
func (s *store) write(ctx context.Context, puts []etcd.Op, isAtOnce bool) error {
	if isAtOnce {
		_, err := s.Txn(ctx).Then(puts...).Commit()
		return err
	}
	errs := make([]error, len(puts))
	var writers sync.WaitGroup
	for index, put := range puts {
		writers.Go(func() { _, errs[index] = s.Do(ctx, put) })
	}
	writers.Wait()
	return errors.Join(errs...)
}

// copyObjects makes copies of an object that was handled, and returns when the API server has them.
func copyObjects(f flags) (any, error) {
	s, err := openStore(f)
	if err != nil {
		return nil, err
	}
	if err := s.put(context.Background(), 0, func(value []byte) []byte { return value }); err != nil {
		return nil, err
	}
	value, _, err := s.template(context.Background())
	if err != nil {
		return nil, err
	}
	return map[string]int{"bytes": len(value)}, awaitCount(f, f.count+1)
}

// touchObjects changes the copies in a way that means nothing to an operator: a field of the status that is not its own. It
// answers when a watcher has seen all of that, so that an operator has had the events, too.
func touchObjects(f flags) (any, error) {
	c, err := connect(f)
	if err != nil {
		return nil, err
	}
	s, err := openStore(f)
	if err != nil {
		return nil, err
	}
	// NB: of a number beyond 2^53 Lotse keeps each digit, which costs it a second reading: an event like most others has none.
	touched := fmt.Appendf(nil, `"touched":%d`, time.Now().UnixMilli())
	missing, all := f.count, make(chan struct{})
	err = c.watch(context.Background(), f.namespace, func(line []byte) {
		if !bytes.Contains(line, touched) {
			return
		}
		if missing--; missing == 0 {
			close(all)
		}
	})
	if err != nil {
		return nil, err
	}
	err = s.put(context.Background(), f.perSecond, func(value []byte) []byte {
		return bytes.Replace(value, ready, slices.Concat(ready, []byte(","), touched), 1)
	})
	if err != nil {
		return nil, err
	}
	select {
	case <-all:
		return "touched", nil
	case <-time.After(time.Minute):
		return nil, fmt.Errorf("%d of %d events did not come within a minute", missing, f.count)
	}
}

// clearObjects removes the objects whose names begin with the prefix; all, if that is empty.
func clearObjects(f flags) (any, error) {
	s, err := openStore(f)
	if err != nil {
		return nil, err
	}
	_, err = s.Delete(context.Background(), s.key(s.prefix), etcd.WithPrefix())
	return "cleared", err
}

// awaitCount waits until the API server counts that many objects.
func awaitCount(f flags, wanted int) error {
	c, err := connect(f)
	if err != nil {
		return err
	}
	var list struct {
		Metadata struct{ RemainingItemCount int }
		Items    []json.RawMessage
	}
	for range 300 {
		list.Metadata.RemainingItemCount = 0
		answer, err := c.send("GET", itemsPath(f.namespace)+"?limit=1", "", nil)
		if err == nil {
			err = json.Unmarshal(answer, &list)
		}
		if err != nil {
			return err
		}
		if list.Metadata.RemainingItemCount+len(list.Items) >= wanted {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("the API server counts %d objects, not %d", list.Metadata.RemainingItemCount+1, wanted)
}
